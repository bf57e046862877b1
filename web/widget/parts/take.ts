// Takes over from a thread that was pasted into the page when it was built: it is shown until the
// widget draws its own in one step, the composer comes below it, and the comment at the top of the
// reader's view stays where it is.

import type { TakePart } from "../part";
import { sheetOf } from "../sheet";
import css from "./take.css";

const sheet = sheetOf(css);

const take: TakePart = ({ host, root }) => {
  const shadow = root.getRootNode() as ShadowRoot;
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  root.dataset.below = "";
  return (show, find) => {
    const isInView = (element: Element) => element.getBoundingClientRect().bottom > 0;
    const seen = Array.from(host.querySelectorAll(".postil-comment")).find(isInView);
    const { top } = (seen ?? host).getBoundingClientRect();
    const isAbove = host.getBoundingClientRect().top < 0; // else the page above it is being read, too
    show();
    const now = seen && isAbove && find(seen.id.replace("postil-", ""));
    if (now) scrollBy({ top: now.getBoundingClientRect().top + parseFloat(getComputedStyle(now).paddingTop) - top, behavior: "instant" });
  };
};

export default take;
