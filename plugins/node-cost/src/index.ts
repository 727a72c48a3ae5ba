/** The price, latency or another cost of a node: lower is better. */
import { MAX_NODE_SCORE, StatusCode, defineSchedulingPlugin } from '@berth/plugin-api'
import type { Node, Pod, SchedulingPlugin } from '@berth/plugin-api'
import { type NodeCostArgs, argsSchema } from './args.ts'

/** Scores the cheapest candidate with 100 and the dearest with 0, and rejects nodes above the maximum. */
export const plugin: SchedulingPlugin<NodeCostArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'node-cost',
  description: 'Prefers nodes with a low cost, such as a price or a latency, and rejects nodes above a maximum.',
  argsSchema,
  create(args) {
    const { label, annotation, withoutCost } = args
    const source = label === undefined ? `annotation ${annotation}` : `label ${label}`
    return {
      preFilter: (pod) => {
        const limit = limitOf(pod, args)
        if (limit.kind === 'invalid') {
          return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: [limit.reason] }
        }
        return limit.maximum === Infinity && withoutCost === 'last' ? { kind: 'skip' } : undefined
      },
      filter(pod, { rows, count }, output, { cluster }) {
        const limit = limitOf(pod, args)
        const maximum = limit.kind === 'limit' ? limit.maximum : 0
        for (let i = 0; i < count; i++) {
          const cost = costOf(cluster.node(rows[i] ?? -1), args)
          if (cost === undefined) {
            if (withoutCost === 'last') continue
            output.reject(i, StatusCode.UnschedulableAndUnresolvable, `node(s) have no readable cost in ${source}`)
          } else if (cost > maximum) {
            const reason = `node(s) cost more than ${maximum} by ${source}`
            output.reject(i, StatusCode.UnschedulableAndUnresolvable, reason)
          }
        }
      },
      score(_pod, { rows, count }, scores, { cluster }) {
        let lowest = Infinity
        let highest = -Infinity
        for (let i = 0; i < count; i++) {
          const cost = costOf(cluster.node(rows[i] ?? -1), args) ?? Number.NaN
          scores[i] = cost
          if (cost < lowest) lowest = cost
          if (cost > highest) highest = cost
        }
        for (let i = 0; i < count; i++) scores[i] = scoreBetween(scores[i] ?? Number.NaN, lowest, highest)
      },
      queueingHint: (_pod, { kind }) => kind === 'node-added' || kind === 'node-changed',
    }
  },
})

/** Returns 1 to 100 for a cost, so that a node without one, which gets 0, is always last. */
function scoreBetween(cost: number, lowest: number, highest: number): number {
  if (Number.isNaN(cost)) return 0
  if (lowest === highest) return MAX_NODE_SCORE
  return 1 + Math.floor(((MAX_NODE_SCORE - 1) * (highest - cost)) / (highest - lowest))
}

/** Returns the cost of a node; undefined if it has none that can be read. */
function costOf({ metadata }: Node, { label, annotation, table }: NodeCostArgs): number | undefined {
  const text = label === undefined ? metadata.annotations?.[annotation ?? ''] : metadata.labels?.[label]
  if (text === undefined) return undefined
  if (table === undefined) return readCost(text)
  return Object.hasOwn(table, text) ? table[text] : undefined
}

/** Reads a decimal number of 0 or more. */
function readCost(text: string): number | undefined {
  return /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined
}

type Limit =
  | { readonly kind: 'limit'; readonly maximum: number }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Returns the lower one of the maximum of all pods and that of this pod. */
function limitOf(pod: Pod, { maximum = Infinity, podMaximumAnnotation }: NodeCostArgs): Limit {
  const text = podMaximumAnnotation === undefined ? undefined : pod.metadata.annotations?.[podMaximumAnnotation]
  if (text === undefined) return { kind: 'limit', maximum }
  const own = readCost(text)
  if (own !== undefined) return { kind: 'limit', maximum: Math.min(maximum, own) }
  return { kind: 'invalid', reason: `annotation ${podMaximumAnnotation} of the pod is "${text}", not a number` }
}
