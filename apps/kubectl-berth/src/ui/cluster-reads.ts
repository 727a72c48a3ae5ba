import { type ClusterSnapshot, snapshotCluster, type SnapshotOptions } from '@berth/cluster-view'
import type { CommandLine } from '@berth/process/command'
import { missingSentences } from '../capacity/missing-sentences.ts'
import type { CommandContext } from '../cli/command.ts'
import type { Session } from '../cli/session.ts'
import { explainTargets } from '../explain/explainer.ts'
import { readSubjects } from '../explain/subjects/read-subjects.ts'
import { evaluatedWithout } from '../output/evaluated-without.ts'
import type { Profiles } from '../profile/load-profiles.ts'
import { buildPendingModel } from './model/build-pending-model.ts'
import { buildUiModel } from './model/build-ui-model.ts'
import { changeBetween } from './model/model-changes.ts'
import { sharedRead } from './model/shared-read.ts'
import type { UiSources } from './server/serve-ui.ts'

/** A cluster, and how to decide on its pods. */
export interface ReadInput {
  readonly line: CommandLine
  readonly context: CommandContext
  readonly session: Session
  readonly given: Profiles
}

/** Returns functions that read the data of the page from the cluster. Callers share what they read. */
export function clusterReads({
  line,
  context,
  session,
  given,
}: ReadInput): Pick<UiSources, 'readModel' | 'readPending'> {
  const { terminal, stop } = context
  const { clock } = terminal
  const { client } = session.cluster
  const namespace = line.text('namespace') ?? session.namespace
  const read = (options: SnapshotOptions): Promise<ClusterSnapshot> =>
    snapshotCluster(client, { signal: stop, fallbackNamespace: namespace, ...options })
  return {
    readModel: sharedRead(clock, async (last) => {
      const snapshot = await read({ kinds: [] })
      const model = buildUiModel(snapshot, clock.now(), missingSentences(snapshot.forbidden, namespace))
      // The same object says that nothing has changed.
      return last === undefined || changeBetween(last, model) !== undefined ? model : last
    }),
    readPending: sharedRead(clock, async () => {
      const snapshot = await read({ configMaps: given.configMaps })
      const sources = { client, snapshot, namespace, terminal, signal: stop }
      const targets = await readSubjects({ kind: 'all-pending', isEveryNamespace: true }, sources)
      const answers = await explainTargets(targets, { line, context, cluster: session.cluster, snapshot, given })
      return buildPendingModel(answers, clock.now(), evaluatedWithout(snapshot.forbidden))
    }),
  }
}
