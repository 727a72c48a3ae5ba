import { resourceRefs } from '@berth/k8s-client'
import type { Extension } from '../../src/extensions/model/extension.ts'
import type { SurveyResult } from '../../src/extensions/survey-cluster.ts'
import type { TestCluster } from '../test-cluster.ts'
import { addObject } from './surveyed-objects.ts'

/** Surveys one kind. */
export async function survey(cluster: TestCluster, kind: string): Promise<SurveyResult> {
  const { surveys: results } = JSON.parse(await cluster.run('extensions', kind, '-o', 'json'))
  return results[0] as SurveyResult
}

/** Surveys one kind, and returns the extensions as `name: use, health`, and the evidence of the only one. */
export async function found(
  cluster: TestCluster,
  kind: string,
): Promise<{ readonly lines: readonly string[]; readonly first: Extension }> {
  const { extensions } = await survey(cluster, kind)
  const [first] = extensions
  if (first === undefined) throw new Error(`no extension of kind ${kind} was found`)
  return { lines: extensions.map(({ name, use, health }) => `${name}: ${use}, ${health}`), first }
}

/** Adds a Lease in kube-system that was just renewed. */
export async function addLease(cluster: TestCluster, name: string, holderIdentity: string): Promise<void> {
  const renewTime = new Date(cluster.terminal.clock.now()).toISOString().replace('Z', '000Z')
  await addObject(
    cluster,
    'leases',
    name,
    { spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 } },
    { namespace: 'kube-system' },
  )
}

/** Adds the endpoints of a Service in the namespace default. */
export async function addEndpoints(cluster: TestCluster, service: string, ready: readonly boolean[]): Promise<void> {
  await addObject(
    cluster,
    'endpointSlices',
    `${service}-1`,
    {
      addressType: 'IPv4',
      endpoints: ready.map((isReady, index) => ({
        addresses: [`10.0.0.${index + 1}`],
        conditions: { ready: isReady },
      })),
    },
    { labels: { 'kubernetes.io/service-name': service } },
  )
}

/** Adds a Service with the ClusterIP 10.96.0.7 to the namespace default. */
export async function addService(cluster: TestCluster, name: string): Promise<void> {
  await cluster.create(resourceRefs.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { ports: [{ port: 443 }], clusterIP: '10.96.0.7' },
  } as never)
}
