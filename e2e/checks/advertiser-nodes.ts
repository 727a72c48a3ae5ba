import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { homedir } from 'node:os'
import { loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { startProgram } from '@berth/process/testing'
import type { Node } from '@berth/types'
import { connectQuietly, withHeaders } from '../cluster/connect-with-kubeconfig.ts'
import { keepChangingNode } from '../cluster/keep-changing-node.ts'
import { NAMESPACE, RELEASE } from '../cluster/release.ts'
import { runCommand } from '../cluster/run-command.ts'
import { expectThat, type TestCluster } from '../cluster/test-cluster.ts'
import { testEnvironment } from '../cluster/test-environment.ts'
import type { Check } from './check.ts'
import { DONGLE } from './dongles.ts'
import { lastHeartbeat, onNode, unitsThroughout } from './kubelet.ts'

/** The resource that the objects of these checks declare. */
export const SEAT = 'lab.example.com/seat'
const OWNER = `${NAMESPACE}/${RELEASE}-advertiser`
const main = join(import.meta.dirname, '../../apps/advertiser/src/main.ts')

/** Returns the chart values of these checks: dongles from the file, and names that objects may declare. */
export function advertiserNodeValues(workers: readonly string[]): unknown {
  const resources = [{ name: DONGLE, units: 4, nodes: { names: [workers[0]] } }]
  return { advertiser: { config: { watchObjects: true, resources }, policy: { domains: ['lab.example.com'] } } }
}

const nodeOf = ({ workers }: TestCluster): string => workers[0] ?? ''
const untilDongles = (testCluster: TestCluster): Promise<true> =>
  testCluster.untilUnits(nodeOf(testCluster), DONGLE, '4/4')

/** Creates an object that declares seats on the first worker. */
export async function declareSeats(testCluster: TestCluster, name: string, resourceName = SEAT): Promise<void> {
  const object = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'ExtendedResource',
    metadata: { name },
    spec: { resourceName, units: 3, nodes: { names: [nodeOf(testCluster)] } },
  }
  const { kubeconfig } = testEnvironment()
  testCluster.addCleanup(async () => {
    await testCluster.kubectl('delete', 'extendedresources', name, '--ignore-not-found', '--wait=false')
  })
  const args = ['--kubeconfig', kubeconfig, 'apply', '-f', '-']
  const { status, stderr } = await runCommand('kubectl', args, { input: JSON.stringify(object) })
  expectThat(status === 0, `the object was refused: ${stderr}`)
}

/** Waits until a condition of an object has this status and reason. */
function untilCondition(testCluster: TestCluster, name: string, type: string, expected: string): Promise<true> {
  const path = `jsonpath={.status.conditions[?(@.type=="${type}")].status} {.status.conditions[?(@.type=="${type}")].reason}`
  return testCluster.until(`${name} to have the condition ${type} ${expected}`, async () =>
    (await testCluster.kubectl('get', 'extendedresources', name, '-o', path)) === expected ? true : undefined,
  )
}

/** Runs one pass of an advertiser on this machine, as an administrator would, with nine dongles for the node. */
async function runSecondAdvertiser(testCluster: TestCluster, owner: string): Promise<string> {
  const resources = JSON.stringify([{ name: DONGLE, units: 9, nodes: { names: [nodeOf(testCluster)] } }])
  const { kubeconfig } = testEnvironment()
  const args = ['--once', '--kubeconfig', kubeconfig, '--owner', owner, '--resources', resources]
  const { code, stderr } = await startProgram(main, args).ended
  expectThat(code === 1, `the second advertiser ended with ${code}: ${stderr}`)
  return stderr
}

/** Checks of the advertiser that restart a kubelet, delete a node or write beside the advertiser. */
export const advertiserNodeChecks: readonly Check[] = [
  {
    name: 'an object advertises seats, kubectl shows it, and its deletion withdraws them',
    component: 'advertiser',
    failureText: 'the object was refused',
    async run(testCluster) {
      const node = nodeOf(testCluster)
      const name = testCluster.uniqueName('seats')
      await declareSeats(testCluster, name)
      await testCluster.untilUnits(node, SEAT, '3/3')
      await untilCondition(testCluster, name, 'Advertised', 'True AllNodes')
      await testCluster.kubectl('delete', 'extendedresources', name, '--wait', '--timeout=60s')
      expectThat((await testCluster.units(node, SEAT)) === '-/-', 'the seats are left behind')
    },
  },
  {
    name: 'an object with a name that is not allowed says so and writes nothing, and the advertiser may not write such a name',
    component: 'advertiser',
    failureText: 'the object was refused',
    async run(testCluster) {
      const node = nodeOf(testCluster)
      const name = testCluster.uniqueName('refused')
      const other = 'other.example.com/seat'
      await declareSeats(testCluster, name, other)
      await untilCondition(testCluster, name, 'NotAllowed', 'True NotAllowed')
      expectThat((await testCluster.units(node, other)) === '-/-', 'the seats were advertised')
      const access = loadKubeconfig({ path: testEnvironment().kubeconfig, env: process.env, home: homedir() })
      const user = `system:serviceaccount:${NAMESPACE}:${RELEASE}-advertiser`
      await using berth = connectQuietly({ access: withHeaders(access, { 'impersonate-user': user }) })
      const capacity = { [other]: '1' }
      const answer = await berth.client
        .patchNodeStatus(node, { status: { capacity } }, { fieldManager: 'berth-advertiser' })
        .then(() => 'accepted', String)
      expectThat(
        answer.includes('only resources that its configuration declares'),
        `the write was not refused: ${answer}`,
      )
    },
  },
  {
    name: 'the dongles stay while the kubelet restarts',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    async run(testCluster) {
      await untilDongles(testCluster)
      const before = await lastHeartbeat(testCluster)
      const seen = await unitsThroughout(
        testCluster,
        DONGLE,
        () => onNode(nodeOf(testCluster), 'systemctl restart kubelet'),
        async () => (await lastHeartbeat(testCluster)) > before,
      )
      expectThat(seen.join(', ') === '4/4', `the node showed ${seen.join(', ')}`)
    },
  },
  {
    name: 'a node that is deleted and registered again gets its dongles again',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    async run(testCluster) {
      const name = nodeOf(testCluster)
      await untilDongles(testCluster)
      const { metadata } = await testCluster.node(name)
      testCluster.addCleanup(async () => void (await onNode(name, 'systemctl restart kubelet')))
      await testCluster.kubectl('delete', 'node', name)
      // A kubelet registers its node when it starts.
      await onNode(name, 'systemctl restart kubelet')
      const again = await testCluster.until(`${name} to be registered again`, () =>
        testCluster.client.find<Node>(resourceRefs.nodes, { name }),
      )
      expectThat(again.metadata.uid !== metadata.uid, 'the node was not created again')
      await untilDongles(testCluster)
    },
  },
  {
    name: 'a concurrent editor keeps its annotations, and the dongles return each time',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    async run(testCluster) {
      const node = nodeOf(testCluster)
      await untilDongles(testCluster)
      await using _ = keepChangingNode(node)
      for (const units of ['1', '7', '2', null]) {
        const amounts = { [DONGLE]: units }
        const status = { capacity: amounts, allocatable: amounts }
        await testCluster.client.patchNodeStatus(node, { status }, { fieldManager: 'berth-e2e' })
        await untilDongles(testCluster)
        // So that the kubelet copies the value to allocatable in between, too.
        await pause(2_000)
      }
      const { metadata } = await testCluster.node(node)
      expectThat(metadata.annotations?.['berth.dev/stirred'] !== undefined, 'the annotation of the editor is gone')
    },
  },
  {
    name: 'a second advertiser changes nothing: another installation is refused by name, and the same one by its Lease',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    async run(testCluster) {
      await untilDongles(testCluster)
      const { metadata } = await testCluster.node(nodeOf(testCluster))
      const foreign = await runSecondAdvertiser(testCluster, 'kube-system/berth-e2e-rival')
      testCluster.addCleanup(async () => {
        await testCluster.kubectl('delete', 'lease', 'berth-e2e-rival', '-n', 'kube-system', '--ignore-not-found')
      })
      expectThat(foreign.includes(`belong to ${OWNER}`), `it did not name the owner: ${foreign}`)
      const same = await runSecondAdvertiser(testCluster, OWNER)
      expectThat(same.includes(`installation ${OWNER} is running`), `it did not name the holder: ${same}`)
      const now = await testCluster.node(nodeOf(testCluster))
      expectThat(now.status?.capacity?.[DONGLE] === '4', 'the second advertiser changed the node')
      const since = metadata.annotations?.['berth.dev/advertised-by']
      expectThat(now.metadata.annotations?.['berth.dev/advertised-by'] === since, 'the owner changed')
    },
  },
]
