// Style sheets as objects: not inline, so that a strict Content-Security-Policy allows them.

export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
