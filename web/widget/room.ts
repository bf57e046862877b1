// The room that the style sheet keeps for the thread, a window's height, so that what follows is
// not pushed out of view when the comments come.

/** Gives back what the thread does not need as soon as nobody sees what moves up then. */
export function settle(host: HTMLElement, root: HTMLElement): void {
  new IntersectionObserver(([end]) => {
    if (end!.boundingClientRect.top > innerHeight) host.dataset.settled = "";
  }).observe(root.lastElementChild!);
}
