// Tells the server in which zone this browser shows times, for pages that it draws: from the next page on.

const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
if (!document.cookie.includes(`rollcall-zone=${zone}`))
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser.
  document.cookie = `rollcall-zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`;
