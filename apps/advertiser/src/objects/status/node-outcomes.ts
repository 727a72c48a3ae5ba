import type { Node } from '@berth/types'
import type { Setup } from '../../config/setup.ts'
import { chooseDeclarations } from '../../plan/choose-declarations.ts'
import type { Declaration } from '../../plan/declaration.ts'
import type { Conflict } from '../../plan/node-plan.ts'
import { readRecord } from '../../plan/ownership.ts'
import { describeConflict } from '../../report/describe-change.ts'
import { displayName } from '../read/read-object.ts'
import type { NodeResult } from './node-board.ts'

/** Result of one object on one node that it selects. */
export interface NodeOutcome {
  readonly node: string
  /** `unrecorded`: the node has not been reconciled with the current declarations yet. */
  readonly kind: 'advertised' | 'pending' | 'unrecorded' | 'conflict' | 'held' | 'overridden' | 'failed'
  /** Reason in one word. */
  readonly reason: string
  readonly message: string
}

/** The nodes and their last results. */
export interface NodeView {
  readonly nodes: Iterable<Node>
  readonly resultOf: (nodeName: string) => NodeResult | undefined
  /** The setup that the nodes are reconciled with now. */
  readonly setup: Setup
}

/** Reasons of the conflicts, as a condition writes them. */
const REASONS: Readonly<Record<Conflict['kind'], string>> = {
  foreign: 'ForeignValue',
  'device-plugin': 'DevicePlugin',
  'device-class': 'DeviceClass',
  held: 'Held',
  ambiguous: 'Ambiguous',
  unknown: 'SourceUnknown',
  'foreign-owner': 'ForeignOwner',
  'unreadable-ownership': 'UnreadableRecord',
}

/** Results of one resource on the nodes, in the order of the nodes. */
export interface NodeOutcomes {
  /** The nodes that the declaration selects. */
  readonly selected: readonly NodeOutcome[]
  /**
   * The nodes where the resource is still to be withdrawn: this installation owns it there and nothing declares it, or the
   * node has not been reconciled with the current declarations.
   */
  readonly remaining: readonly NodeOutcome[]
}

/** Returns the state of a resource on the nodes. Without a declaration, no node is selected. */
export function nodeOutcomes(
  resourceName: string,
  declaration: Declaration | undefined,
  { nodes, resultOf, setup }: NodeView,
): NodeOutcomes {
  const rivals = setup.desired.declarations.filter((each) => each.resourceName === resourceName)
  const selected: NodeOutcome[] = []
  const remaining: NodeOutcome[] = []
  for (const node of nodes) {
    const name = node.metadata.name ?? ''
    const result = resultOf(name)
    const current = result?.setup === setup ? result : undefined
    const choice = chooseDeclarations(rivals, node).get(resourceName)
    if (choice === undefined) {
      if (result?.failure !== undefined && !isRecorded(node, resourceName)) continue
      if (current !== undefined && current.failure === undefined && !current.owned.has(resourceName)) continue
      remaining.push({ node: name, ...outcomeOf(resourceName, current) })
      continue
    }
    const [applied] = choice.applied
    if (applied === undefined || declaration === undefined) continue
    if (applied === declaration) selected.push({ node: name, ...outcomeOf(resourceName, current) })
    else if (choice.overridden.includes(declaration)) selected.push({ node: name, ...overriddenBy(applied, name) })
  }
  return { selected, remaining }
}

function isRecorded(node: Node, resourceName: string): boolean {
  const record = readRecord(node)
  return record.kind === 'read' && record.units.has(resourceName)
}

type Outcome = Omit<NodeOutcome, 'node'>

function overriddenBy({ origin, path }: Declaration, nodeName: string): Outcome {
  const winner =
    origin.kind === 'object'
      ? `${displayName(origin.name)} (precedence ${origin.precedence})`
      : `${path} of the configuration file`
  return { kind: 'overridden', reason: 'Overridden', message: `${winner} applies to ${nodeName} instead` }
}

function outcomeOf(resourceName: string, result: NodeResult | undefined): Outcome {
  if (result === undefined) return { kind: 'unrecorded', reason: 'Pending', message: 'the node is not reconciled yet' }
  if (result.failure !== undefined) return { kind: 'failed', reason: 'Failed', message: result.failure }
  const conflict = result.conflicts.find((each) => !('resourceName' in each) || each.resourceName === resourceName)
  if (conflict !== undefined) {
    const kind = conflict.kind === 'held' ? 'held' : 'conflict'
    return { kind, reason: REASONS[conflict.kind], message: describeConflict(conflict) }
  }
  if (result.pending.includes(resourceName)) {
    return { kind: 'pending', reason: 'Pending', message: 'the source has not answered yet' }
  }
  if (result.owned.has(resourceName) && !result.delayed.includes(resourceName)) {
    return { kind: 'advertised', reason: 'Advertised', message: '' }
  }
  return {
    kind: 'pending',
    reason: 'Pending',
    message: 'the write is delayed, because another writer keeps undoing it',
  }
}
