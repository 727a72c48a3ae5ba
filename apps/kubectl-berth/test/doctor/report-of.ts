import type { CheckReport } from '../../src/doctor/examine-cluster.ts'
import type { VerifiedFinding } from '../../src/doctor/model/verified-fix.ts'
import { CommandError } from '../../src/errors.ts'
import type { TestCluster } from '../test-cluster.ts'

/** Runs one check, and returns its report. */
export async function reportOf(cluster: TestCluster, id: string): Promise<CheckReport> {
  const before = cluster.terminal.output().length
  try {
    await cluster.run('doctor', id, '-o', 'json')
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'BERTH_KUBECTL_DOCTOR') throw error
  }
  const { checks } = JSON.parse(cluster.terminal.output().slice(before))
  return checks[0] as CheckReport
}

/** Runs one check that must find exactly one fault, and returns it. */
export async function onlyFinding(cluster: TestCluster, id: string): Promise<VerifiedFinding> {
  const { findings } = await reportOf(cluster, id)
  const [finding] = findings
  if (finding === undefined || findings.length > 1) throw new Error(`expected one finding: ${JSON.stringify(findings)}`)
  return finding
}

/** Adds a core event about an object. */
export async function addEvent(
  cluster: TestCluster,
  involvedObject: { readonly kind: string; readonly namespace: string; readonly name: string },
  {
    reason,
    message,
    component = 'test',
  }: { readonly reason: string; readonly message: string; readonly component?: string },
): Promise<void> {
  const events = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true }
  await cluster.create(events, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${involvedObject.name}.${reason.toLowerCase()}`, namespace: involvedObject.namespace },
    involvedObject,
    reason,
    message,
    type: 'Warning',
    source: { component },
    lastTimestamp: new Date(cluster.terminal.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  } as never)
}
