/** Number of reasons that are listed. */
const MAX_REASONS = 3

/** The part about preemption that kube-scheduler appends. */
const ABOUT_PREEMPTION = /\. (?:no new claims to deallocate, )?preemption: .*$/su

/** The start of kube-scheduler's sentence about nodes, before its list of counted reasons. */
const ABOUT_NODES = /^\d+\/\d+ nodes are available: /u

/** A reason with its number of nodes, and the number of reasons that it stands for. */
interface CountedReason {
  readonly nodes: number
  readonly text: string
  readonly merged: number
}

/**
 * Shortens the message of a PodScheduled condition to one line, without the part about preemption. Reasons that differ only
 * in names or numbers are merged, because a plugin may give one for each node. Of many reasons, the most frequent come first.
 */
export function pendingReason(message: string): string {
  const line = message.replaceAll(/\s+/gu, ' ').trim().replace(ABOUT_PREEMPTION, '.')
  const [start] = ABOUT_NODES.exec(line) ?? []
  if (start === undefined) return line
  const clauses = line
    .slice(start.length)
    .replace(/\.$/u, '')
    .split(/, (?=\d+ )/u)
  const counted = clauses.flatMap((clause): CountedReason[] => {
    const [, nodes, text = ''] = /^(\d+) (.*)$/u.exec(clause) ?? []
    return nodes === undefined ? [] : [{ nodes: Number(nodes), text, merged: 1 }]
  })
  if (counted.length < clauses.length) return line
  const merged = [...Map.groupBy(counted, ({ text }) => shapeOf(text)).values()].map(mergeAlike)
  const shown =
    merged.length > MAX_REASONS ? merged.toSorted((a, b) => b.nodes - a.nodes).slice(0, MAX_REASONS) : merged
  const more = merged.length - shown.length
  const list = shown.map(({ nodes, text, merged: reasons }) =>
    reasons === 1 ? `${nodes} ${text}` : `${nodes} ${text} (and ${reasons - 1} similar reasons)`,
  )
  return `${start}${list.join(', ')}${more > 0 ? ` and ${more} more reasons` : ''}.`
}

function mergeAlike(reasons: readonly CountedReason[]): CountedReason {
  return {
    nodes: reasons.reduce((sum, { nodes }) => sum + nodes, 0),
    text: reasons[0]?.text ?? '',
    merged: reasons.length,
  }
}

/** Replaces words that look like names or numbers, except resource names such as example.com/dongle. */
function shapeOf(text: string): string {
  return text
    .split(' ')
    .map((word) => (/[\d-]/u.test(word) && !word.includes('/') ? '*' : word))
    .join(' ')
}
