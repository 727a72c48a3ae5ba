import { runOrThrow } from './run-command.ts'
import type { TestCluster } from './test-cluster.ts'
import { testEnvironment } from './test-environment.ts'

/** Creates a cluster-scoped object or one in the namespace `default`. It is deleted at the end of the check. */
export async function createObject(
  testCluster: Pick<TestCluster, 'addCleanup' | 'kubectl'>,
  kind: string,
  name: string,
  object: object,
): Promise<void> {
  testCluster.addCleanup(async () => {
    await testCluster.kubectl('delete', kind, name, '--ignore-not-found', '--wait=false')
  })
  const { kubeconfig } = testEnvironment()
  const input = JSON.stringify({ kind, metadata: { name }, ...object })
  await runOrThrow('kubectl', ['--kubeconfig', kubeconfig, 'create', '-f', '-'], { input })
}
