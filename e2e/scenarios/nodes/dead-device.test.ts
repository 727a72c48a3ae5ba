import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import { afterAll, describe, expect, test } from 'vitest'
import { onNode } from '../../checks/kubelet.ts'
import { runCommand, runOrThrow } from '../../cluster/run-command.ts'
import { saveDiagnostics } from '../../cluster/save-diagnostics.ts'
import { connectToTestCluster } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { listWorkers } from '../../cluster/workers.ts'

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'dead-device', 'run.sh')

// The resource of the example has a name of its own, because the kubelet keeps 0 units of it on the nodes after the uninstall.
describe('a device dies', () => {
  afterAll(async () => {
    const { helm, kubeconfig } = testEnvironment()
    await runCommand('kubectl', ['--kubeconfig', kubeconfig, 'delete', 'deployment', 'radio-user', '--wait'])
    await runOrThrow(helm, ['--kubeconfig', kubeconfig, '--namespace', 'berth-system', 'uninstall', 'berth', '--wait'])
    await using cluster = connectToTestCluster()
    for (const worker of await listWorkers(cluster.client)) await onNode(worker, 'rm -rf /var/lib/berth-example')
    await cluster.client.delete(resourceRefs.namespaces, { name: 'berth-system' })
  })

  test('the command of the example shows that its pod is evicted and runs on another node', async () => {
    const environment = testEnvironment()
    const { kubeconfig, image, engine, helm } = environment
    const env = { KUBECONFIG: kubeconfig, IMAGE: image, ENGINE: engine, HELM: helm }
    const { status, stdout, stderr } = await runCommand(example, [], { env, timeoutMs: 540_000 })
    console.log(stdout)
    if (status !== 0) throw new Error(`${stderr}\ndiagnostics: ${await saveDiagnostics(environment, 'dead-device')}`)
    const [, before] = /^before: (\S+) Healthy \S+$/m.exec(stdout) ?? []
    const [, during] = /^status: (\S+) Unhealthy \S+$/m.exec(stdout) ?? []
    const [, after] = /^after: {2}(\S+) \S* ?\S+$/m.exec(stdout) ?? []
    expect([before, during]).toEqual([expect.any(String), before])
    expect(after).not.toBe(before)
    expect(stdout).toMatch(
      /^event: {2}device \S+ of example\.com\/radio on node \S+ has been Unhealthy for at least 1\d s/m,
    )
  })
})
