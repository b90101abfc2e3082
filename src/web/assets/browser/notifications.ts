// Runs as a service worker, also while no page is open. It shows the alerts that rollcall sends through the browser's
// push service; a click opens the page that the alert is about.

interface Lasting extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Pushed extends Lasting {
  readonly data: {
    json(): { readonly title: string; readonly body: string; readonly tag: string; readonly url: string };
  };
}

interface Clicked extends Lasting {
  readonly notification: Notification;
}

declare const registration: ServiceWorkerRegistration;
declare const clients: { openWindow(url: string): Promise<unknown> };

addEventListener("push", (event) => {
  const pushed = event as Pushed;
  const { title, body, tag, url } = pushed.data.json();
  // With `renotify`, a notification that replaces another one makes a sound, too.
  const shown = { body, tag, renotify: true, data: url, icon: "/assets/icon-180.png" };
  pushed.waitUntil(registration.showNotification(title, shown));
});

addEventListener("notificationclick", (event) => {
  const clicked = event as Clicked;
  clicked.notification.close();
  clicked.waitUntil(clients.openWindow(clicked.notification.data));
});
