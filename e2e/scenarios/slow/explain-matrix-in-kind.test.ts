import type { Cluster } from '@berth/k8s-client'
import { eventually, explainMatrix } from '@berth/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkMatrixCase,
  createMatrix,
  deleteMatrix,
  untilMatrixDecided,
  untilMatrixDeleted,
} from '../../checks/explain-matrix.ts'
import { onNode } from '../../checks/kubelet.ts'
import { kubectlBerth } from '../../checks/kubectl-berth.ts'
import { controlPlaneOf } from '../../checks/scheduler-manifest.ts'
import { connectWithKubeconfig } from '../../cluster/connect-with-kubeconfig.ts'
import { type ControlPlaneComponent, removeManifest } from '../../cluster/control-plane-manifest.ts'
import { runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'

const { engine, kubeconfig } = testEnvironment()
/** The kubelet reads its manifests every 20 s, and a component may wait for its Lease. */
const WAIT_MS = 180_000
const ALL_MS = 600_000

/** Waits until a component of the control plane runs, or does not. Linux cuts the names of processes after 15 characters. */
async function untilProcess(node: string, component: ControlPlaneComponent, isRunning: boolean): Promise<void> {
  const find = `pgrep -x ${component.slice(0, 15)} || true`
  await eventually(async () => ((await onNode(node, find)) !== '') === isRunning || undefined, {
    what: `${component} to ${isRunning ? 'run' : 'stop'} on ${node}`,
    timeoutMs: WAIT_MS,
    signal: new AbortController().signal,
  })
}

/** Stops a component of the control plane. Disposing starts it, and waits until it runs. */
async function stopComponent(node: string, component: ControlPlaneComponent): Promise<AsyncDisposable> {
  const manifest = await removeManifest({ engine, node }, component)
  await untilProcess(node, component, false)
  return {
    async [Symbol.asyncDispose]() {
      await manifest[Symbol.asyncDispose]()
      await untilProcess(node, component, true)
    },
  }
}

// The nodes of kind stay: the pods of the matrix select other nodes, and kube-scheduler counts those of kind as explain does.
describe('explain names every cause of the matrix, in the words of the kube-scheduler of kind', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster

  beforeAll(async () => {
    cluster = parts.use(connectWithKubeconfig(kubeconfig))
    const { client } = cluster
    let node = ''
    await runCheck(async (testCluster) => void (node = await controlPlaneOf(testCluster)), { waitMs: WAIT_MS })
    await deleteMatrix(client)
    await untilMatrixDeleted(client, WAIT_MS)
    parts.defer(() => untilMatrixDeleted(client, WAIT_MS))
    // It would taint the nodes of the matrix, which no kubelet serves, and delete their pods.
    parts.use(await stopComponent(node, 'kube-controller-manager'))
    const scheduler = await stopComponent(node, 'kube-scheduler')
    parts.use(scheduler)
    parts.defer(() => deleteMatrix(client))
    await createMatrix(client)
    await scheduler[Symbol.asyncDispose]()
    await untilMatrixDecided(client, WAIT_MS)
  }, ALL_MS)
  afterAll(() => parts.disposeAsync(), ALL_MS)

  const explain = (pod: string, format: string): Promise<string> => kubectlBerth('explain', 'pod', pod, '-o', format)

  test.for(explainMatrix)('$name', async (matrixCase) => {
    await expect(checkMatrixCase(matrixCase, { client: cluster.client, explain })).resolves.toBeUndefined()
  })
})
