import { snapshotCluster } from '@berth/cluster-view'
import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import type { Session } from '../cli/session.ts'
import { explainTargets } from '../explain/explainer.ts'
import { nonePending, readSubjects } from '../explain/subjects/read-subjects.ts'
import { evaluatedWithout } from '../output/evaluated-without.ts'
import type { Profiles } from '../profile/load-profiles.ts'
import { buildPendingModel } from './model/build-pending-model.ts'
import type { PendingModel } from './model/pending-model.ts'
import { sharedRead } from './model/shared-read.ts'

/** A cluster, and how to decide on its pods. */
export interface ReadInput {
  readonly line: CommandLine
  readonly context: CommandContext
  readonly session: Session
  readonly given: Profiles
}

/** Returns a function that explains the pending pods. Callers share what it reads. */
export function pendingRead({ line, context, session, given }: ReadInput): () => Promise<PendingModel> {
  const { terminal, stop } = context
  const { clock } = terminal
  const { client } = session.cluster
  const namespace = line.text('namespace') ?? session.namespace
  return sharedRead(clock, async () => {
    const startMs = clock.now()
    const snapshot = await snapshotCluster(client, {
      signal: stop,
      fallbackNamespace: namespace,
      configMaps: given.configMaps,
    })
    const sources = { client, snapshot, namespace, terminal, signal: stop }
    const targets = await readSubjects({ kind: 'all-pending', isEveryNamespace: true }, sources)
    const answers = await explainTargets(targets, { line, context, cluster: session.cluster, snapshot, given })
    return buildPendingModel(answers, startMs, {
      notes: evaluatedWithout(snapshot.forbidden),
      summary: nonePending(snapshot, undefined),
    })
  })
}
