import { NAMESPACE } from './release.ts'
import type { TestCluster } from './test-cluster.ts'

/** Returns the data of the Secrets with which kube-scheduler and the extender authenticate each other, by their names. */
export async function readCertificates(testCluster: TestCluster): Promise<ReadonlyMap<string, string>> {
  const ofType = ['--field-selector', 'type=kubernetes.io/tls']
  const { items } = JSON.parse(
    await testCluster.kubectl('get', 'secrets', '-n', NAMESPACE, ...ofType, '-o', 'json'),
  ) as {
    readonly items: readonly { readonly metadata: { readonly name: string }; readonly data: unknown }[]
  }
  return new Map(items.map(({ metadata, data }) => [metadata.name, JSON.stringify(data)]))
}
