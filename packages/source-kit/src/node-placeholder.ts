/** The text in an argument that stands for the name of the node. */
export const NODE_PLACEHOLDER = '{node}'

/** Names of nodes are DNS subdomains, so that they need no escaping in URLs, paths, queries and arguments. */
const nodeNamePattern = /^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/

/** Returns whether a text differs between nodes. */
export function namesNode(text: string): boolean {
  return text.includes(NODE_PLACEHOLDER)
}

/**
 * Replaces `{node}` by the name of the node.
 *
 * @throws Error if the API server would not accept the name, which then could change the meaning of the text.
 */
export function fillNodeName(text: string, nodeName: string): string {
  if (!namesNode(text)) return text
  if (!nodeNamePattern.test(nodeName) || nodeName.includes('..')) {
    throw new Error(`${JSON.stringify(nodeName)} cannot be the name of a node`)
  }
  return text.replaceAll(NODE_PLACEHOLDER, nodeName)
}
