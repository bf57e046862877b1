// The link to a comment in the page's address.

/** The comment that the address means. Only our exact pattern is a link to one; every other fragment belongs to the page. */
export function linkedId(): string | undefined {
  return /^#postil-([\w-]+)$/.exec(location.hash)?.[1];
}
