import type { CommandLine } from '@berth/process/command'
import { printableLine } from '@berth/text/printable'
import { type KubernetesObject, silentLogger } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import { parseRequestTimeout } from '../cli/request-timeout.ts'
import { UsageError } from '../errors.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'

const HELP = 'Run: kubectl berth simulate --help'

/**
 * Returns the objects that the simulated cluster starts with: those of a cluster (`--from-cluster`) or of a file
 * (`--snapshot`); undefined without either. Prints what is missing.
 *
 * @throws UsageError for flags that exclude each other; what {@link recordCluster} and {@link readObjectList} throw.
 */
export async function startingObjects(
  line: CommandLine,
  context: Pick<CommandContext, 'terminal' | 'stop' | 'connectTransport'>,
): Promise<readonly KubernetesObject[] | undefined> {
  const source = line.text('from-cluster')
  const file = line.text('snapshot')
  const record = line.text('record')
  if (record !== undefined && source === undefined) throw new UsageError('--record needs --from-cluster', HELP)
  if (source !== undefined && file !== undefined)
    throw new UsageError('--from-cluster and --snapshot exclude each other', HELP)
  if (file !== undefined) {
    const { readObjectList } = await import('../snapshot/object-list-file.ts')
    return await readObjectList(context.terminal, file)
  }
  if (source === undefined) return undefined
  const objects = await readCluster(source, line, context)
  if (record !== undefined) {
    const { writeObjectList } = await import('../snapshot/object-list-file.ts')
    await writeObjectList(record, objects)
    context.terminal.note(`Recorded in ${printableLine(record)}.\n`)
  }
  return objects
}

async function readCluster(
  kubeconfig: string,
  line: CommandLine,
  { terminal, stop, connectTransport }: Pick<CommandContext, 'terminal' | 'stop' | 'connectTransport'>,
): Promise<readonly KubernetesObject[]> {
  const [{ connectCluster }, { recordCluster }] = await Promise.all([
    import('@berth/k8s-client'),
    import('../snapshot/record-cluster.ts'),
  ])
  const { clock, random } = terminal
  const ms = await parseRequestTimeout(line.text('request-timeout'))
  await using transport = await connectTransport(kubeconfig, line.text('context'))
  const world = { clock, random, log: silentLogger }
  await using cluster = connectCluster({ handler: transport.handle, ...world, userAgent: 'kubectl-berth' })
  const { objects, leftOut, unread, redacted } = await recordCluster(cluster.client, {
    signal: stop,
    deadline: { clock, ms },
    report: (doing, work) => withProgress(terminal, doing, work),
  })
  const notes = [
    `Read ${objects.length} objects. Left out: ${leftOut.join(', ')}.`,
    ...[...redacted].map(([kind, count]) => `Replaced ${count} credential(s) in objects of ${printableLine(kind)}.`),
    ...unread.map((each) => `Not read: ${each}`),
  ]
  for (const note of notes) terminal.note(`${wrapSentence(note, terminal.columns).join('\n')}\n`)
  return objects
}
