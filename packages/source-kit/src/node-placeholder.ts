import { isDnsSubdomain } from '@berth/types'

/** The text in an argument that stands for the name of the node. */
export const NODE_PLACEHOLDER = '{node}'

/** Returns whether the text contains `{node}` and thus differs between nodes. */
export function namesNode(text: string): boolean {
  return text.includes(NODE_PLACEHOLDER)
}

/**
 * Replaces `{node}` by the name of the node. The name is not escaped: a DNS subdomain is safe in URLs, paths, queries
 * and arguments.
 *
 * @throws Error if the text contains `{node}` and the name is not a DNS subdomain, because such a name could change the
 * meaning of the text.
 */
export function fillNodeName(text: string, nodeName: string): string {
  if (!namesNode(text)) return text
  if (!isDnsSubdomain(nodeName)) {
    throw new Error(`${JSON.stringify(nodeName)} cannot be the name of a node`)
  }
  return text.replaceAll(NODE_PLACEHOLDER, nodeName)
}
