import type { CommandLine } from '@berth/process/command'
import { resourceAmounts } from '@berth/resources'
import { UsageError } from '../errors.ts'
import { type NamedSubject, namedSubjects } from '../explain/subjects/named-subjects.ts'

/** The changes to try on a copy of the cluster. */
export interface Changes {
  /** Number of empty copies, by the name of the node to copy. */
  readonly addedNodes: ReadonlyMap<string, number>
  readonly removedNodes: readonly string[]
  readonly drainedNodes: readonly string[]
  /** The pods and workloads whose pods are recreated with other requests; undefined when no requests change. */
  readonly requests:
    | { readonly subjects: readonly NamedSubject[]; readonly amounts: ReadonlyMap<string, bigint> }
    | undefined
}

const MAX_COPIES = 10_000
const HELP = 'Run: kubectl berth whatif --help'

/**
 * Reads the changes of a command line.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE when there are none, or one cannot be read.
 */
export function readChanges(line: CommandLine): Changes {
  const addedNodes = new Map(line.texts('add-node').map(readCopies))
  const removedNodes = line.texts('remove-node')
  const drainedNodes = line.texts('drain')
  const requests = readRequests(line)
  const count = addedNodes.size + removedNodes.length + drainedNodes.length
  if (count === 0 && requests === undefined) throw new UsageError('whatif: which change?', HELP)
  return { addedNodes, removedNodes, drainedNodes, requests }
}

function readCopies(text: string): readonly [node: string, count: number] {
  const [node = '', count = '1'] = text.split('=', 2)
  if (node !== '' && /^\d{1,5}$/.test(count) && Number(count) >= 1 && Number(count) <= MAX_COPIES)
    return [node, Number(count)]
  throw new UsageError(`--add-node ${text}: expected NODE or NODE=COUNT, with a count from 1 to ${MAX_COPIES}`, HELP)
}

function readRequests(line: CommandLine): Changes['requests'] {
  const texts = line.texts('requests')
  if (line.words.length === 0 && texts.length === 0) return undefined
  if (line.words.length === 0)
    throw new UsageError('whatif: --requests needs a pod or a workload', 'Write: pod NAME --requests …')
  const subjects = namedSubjects(line.words, { command: 'whatif', verb: 'change' })
  if (texts.length === 0) {
    const names = subjects.map(({ resource, name }) => `${resource.kind.toLowerCase()} ${name}`)
    throw new UsageError(`whatif: which requests of ${names.join(', ')}?`, HELP)
  }
  return { subjects, amounts: new Map(texts.flatMap((text) => text.split(',')).map(readAmount)) }
}

function readAmount(text: string): readonly [resourceName: string, amount: bigint] {
  const [resourceName = '', quantity = ''] = text.split('=', 2)
  try {
    const amount = resourceAmounts({ [resourceName]: quantity }).get(resourceName)
    if (resourceName !== '' && quantity !== '' && amount !== undefined) return [resourceName, amount]
  } catch {
    // The message below says what was expected.
  }
  throw new UsageError(`--requests ${text}: expected RESOURCE=AMOUNT, for example example.com/dongle=1`, HELP)
}
