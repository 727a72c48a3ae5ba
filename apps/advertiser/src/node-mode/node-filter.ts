/** Returns the options of a list or watch that restrict it to one node; none for all nodes. */
export function nodeFilter(onlyNode: string | undefined): { readonly fieldSelector?: string } {
  return onlyNode === undefined ? {} : { fieldSelector: `metadata.name=${onlyNode}` }
}
