// Finds out whether this browser supports notifications, and subscribes it to those of rollcall.

/** Returns why this browser has no notifications, or `null` when it has them. */
export function whyNotNotified(): string | null {
  if (!window.isSecureContext) return "Browsers take notifications from https addresses alone, and from localhost.";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return "This browser takes no notifications. On an iPhone or iPad, add rollcall to the home screen, and open it there.";
  if (Notification.permission === "denied")
    return "This browser was told to show no notifications of this site. Allow them in its settings, and load the page again.";
  return null;
}

/**
 * Asks the person whether notifications are allowed. It must be called in a click, because some browsers do not ask
 * otherwise.
 */
export async function allowed(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("Notifications were not allowed.");
}

export async function subscribed({
  publicKey: applicationServerKey,
}: {
  publicKey: string;
}): Promise<PushSubscription> {
  await navigator.serviceWorker.register("/assets/notifications.js", { scope: "/" });
  const { pushManager } = await navigator.serviceWorker.ready;
  // The browser may have a subscription for another database of rollcall, with another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}
