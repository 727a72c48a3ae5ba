import { expectThat, printingPod, type TestCluster } from '../cluster/test-cluster.ts'
import { NAMESPACE } from '../cluster/release.ts'
import { lacksGate } from '../cluster/version-differences.ts'
import type { Check } from './check.ts'
import { kubectlBerth } from './kubectl-berth.ts'
import { onNode } from './kubelet.ts'

const CARD = 'example.com/card'
const DEVICES = '/dev/berth-e2e-card'
const FILES = '/var/lib/berth-e2e-card'
/** Device numbers of /dev/null and /dev/full, as `stat` in a container reports them. */
const [NULL, FULL] = [259, 263]
const CDI_FILES = '/var/run/cdi/berth-*.json'

/** Returns the chart values for a card that containers get as a CDI device, with everything that can be added to it. */
export function cardValues(node: string): unknown {
  const isReady = `require('node:fs').existsSync('${FILES}/ready')`
  const preStart = ['node', '--eval', `if (!${isReady}) { console.log('card {name} is not ready'); process.exit(1) }`]
  return {
    devicePlugin: {
      // `kubectl berth capacity --devices` reads the devices through the pod proxy.
      networkPolicy: { from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] },
      config: {
        remoteDebug: true,
        resources: [
          {
            name: CARD,
            source: 'path-glob',
            args: { paths: [`${DEVICES}/by-id/*`], containerPath: '/dev/cards/{name}', rescanSeconds: 1 },
            cdi: true,
            container: {
              env: { CARDS: '{ids} at {paths}' },
              mounts: [{ hostPath: `${FILES}/settings`, containerPath: '/etc/card/settings' }],
              deviceNodes: [{ hostPath: `${DEVICES}/control`, containerPath: '/dev/card-control', permissions: 'r' }],
            },
            preStart: { command: preStart, timeoutSeconds: 10 },
          },
        ],
      },
      hostPaths: [DEVICES, FILES],
      nodeHelper: { cdi: { enabled: true }, podResources: { enabled: true } },
      nodeSelector: { 'kubernetes.io/hostname': node },
    },
  }
}

/** Creates the card behind a link, its control device and its settings. It is not ready yet. */
export async function createCard(node: string): Promise<void> {
  const nodes = `mknod ${DEVICES}/card0 c 1 3; mknod ${DEVICES}/control c 1 7; ln -sfn ../card0 ${DEVICES}/by-id/usb-A`
  const files = `mkdir -p ${FILES}; echo fast > ${FILES}/settings; chmod -R a+rX ${FILES} ${DEVICES}`
  await onNode(node, `mkdir -p ${DEVICES}/by-id; ${nodes}; ${files}`)
}

/** Lets preStart succeed. */
async function makeReady(node: string): Promise<void> {
  await onNode(node, `: > ${FILES}/ready; chmod a+r ${FILES}/ready`)
}

/** Removes what {@link createCard} created. */
export async function removeCard(node: string): Promise<void> {
  await onNode(node, `rm -rf ${DEVICES} ${FILES}`)
}

/** Returns the CDI files of Berth on a node as text; empty if there are none. */
export function cdiFiles(node: string): Promise<string> {
  return onNode(node, `cat ${CDI_FILES} 2>/dev/null || true`)
}

const contents = (name: string): string => {
  const parts = [
    `card: fs.statSync('/dev/cards/usb-A').rdev`,
    `read: fs.readFileSync('/dev/cards/usb-A').length`,
    `control: fs.statSync('/dev/card-control').rdev`,
    `settings: fs.readFileSync('/etc/card/settings', 'utf8').trim()`,
    `cards: process.env.CARDS`,
  ]
  return `'${name} ' + (fs => JSON.stringify({ ${parts.join(', ')} }))(require('node:fs'))`
}

/** Runs JavaScript in the device plugin's container and returns what it prints. */
function inPlugin(testCluster: TestCluster, script: string): Promise<string> {
  const command = ['exec', 'daemonset/berth-device-plugin', '-c', 'device-plugin', '--', 'node', '--eval', script]
  return testCluster.kubectl('--namespace', NAMESPACE, ...command)
}

const page = (path: string): string =>
  `fetch('http://127.0.0.1:9401${path}').then((answer) => answer.text()).then((text) => console.log(text))`

/** Checks what a container with the card gets. */
export const containerContentsCheck: Check = {
  name: 'a container gets variables, a mount, a device node and a CDI device after preStart, and the CDI device follows its path',
  component: 'devicePlugin',
  failureText: `units of ${CARD} on`,
  async run(testCluster) {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, CARD, '1/1')
    const name = testCluster.uniqueName('card-user')
    await testCluster.createPod(printingPod(name, { [CARD]: '1' }, contents(name)))
    await testCluster.until('the reason why the container does not start', async () => {
      const waiting = '{.status.containerStatuses[0].state.waiting.message}'
      const message = await testCluster.kubectl('get', 'pod', name, '-o', `jsonpath=${waiting}`)
      return message.includes('card usb-A is not ready') ? true : undefined
    })
    await makeReady(node)
    await testCluster.untilRunning(name)

    const untilPrinted = (restarts: number): Promise<Readonly<Record<string, unknown>>> =>
      testCluster.until('what the container got', async () => {
        const jsonpath = '{.status.containerStatuses[0].restartCount}'
        if ((await testCluster.kubectl('get', 'pod', name, '-o', `jsonpath=${jsonpath}`)) !== String(restarts)) return
        const line = new RegExp(`^${name} (.*)$`, 'm').exec(await testCluster.kubectl('logs', name))?.[1]
        return line === undefined ? undefined : (JSON.parse(line) as Readonly<Record<string, unknown>>)
      })
    const before = await untilPrinted(0)
    const { cards, ...rest } = before
    const expected = JSON.stringify({ card: NULL, read: 0, control: FULL, settings: 'fast' })
    expectThat(JSON.stringify(rest) === expected, `the container has ${JSON.stringify(rest)}, expected ${expected}`)
    expectThat(/^\S+ at \/dev\/cards\/usb-A$/.test(String(cards)), `CARDS is ${String(cards)}`)
    expectThat((await cdiFiles(node)).includes(`${DEVICES}/card0`), 'the CDI file does not name the device node')

    // Another device takes the number, as after a reconnection in another order.
    const take = `mknod ${DEVICES}/card0 c 1 5; chmod a+r ${DEVICES}/card0`
    await onNode(node, `mv ${DEVICES}/card0 ${DEVICES}/card1; ${take}; ln -sfn ../card1 ${DEVICES}/by-id/usb-A`)
    await testCluster.until('the other path in the CDI file', async () =>
      (await cdiFiles(node)).includes(`${DEVICES}/card1`) ? true : undefined,
    )
    await onNode(node, `kill -KILL $(pgrep -f "^node --eval .*${name}")`)
    const after = await untilPrinted(1)
    expectThat(JSON.stringify(after) === JSON.stringify(before), `restarted, it has ${JSON.stringify(after)}`)
  },
}

/** Starts a pod that holds the card, which is ready. Returns the names of the node and the pod. */
async function holdCard(testCluster: TestCluster): Promise<{ readonly node: string; readonly name: string }> {
  const node = testCluster.workers[0] ?? ''
  await testCluster.untilUnits(node, CARD, '1/1')
  await makeReady(node)
  const name = testCluster.uniqueName('card-holder')
  await testCluster.createPod(printingPod(name, { [CARD]: '1' }, `'running'`))
  await testCluster.untilRunning(name)
  return { node, name }
}

/** Checks that the plugin knows which pod holds the card. */
export const podResourcesCheck: Check = {
  name: 'metrics and /debug/devices show which pod holds a device',
  component: 'devicePlugin',
  failureText: `units of ${CARD} on`,
  async run(testCluster) {
    const { name } = await holdCard(testCluster)
    const line = `berth_device_plugin_pod_devices{resource_name="${CARD}",namespace="default",pod="${name}"} 1`
    await testCluster.until('the metric of the pod', async () =>
      (await inPlugin(testCluster, page('/metrics'))).includes(line) ? true : undefined,
    )
    const devices = await inPlugin(testCluster, page('/debug/devices'))
    expectThat(devices.includes(`default/${name}/main`), `/debug/devices does not name the container: ${devices}`)
  },
}

async function untilUnhealthy(testCluster: TestCluster, pod: string): Promise<void> {
  await testCluster.until('an unhealthy card in the status of the pod', async () => {
    const path = '{.status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health}'
    return (await testCluster.kubectl('get', 'pod', pod, '-o', `jsonpath=${path}`)) === 'Unhealthy' ? true : undefined
  })
}

/** Waits until `kubectl berth capacity --devices` shows the card of a pod as unhealthy, with the reason on the plugin's page. */
async function untilListedUnhealthy(testCluster: TestCluster, pod: string): Promise<void> {
  await testCluster.until('the unhealthy card in kubectl berth capacity --devices', async () => {
    const { resources } = JSON.parse(await kubectlBerth('capacity', CARD, '--devices', '-o', 'json')) as {
      readonly resources: readonly { readonly devices?: readonly Readonly<Record<string, string>>[] }[]
    }
    const devices = resources.flatMap((one) => one.devices ?? [])
    return devices.some((one) => one['pod'] === pod && one['health'] === 'Unhealthy' && one['reason'] !== undefined)
      ? true
      : undefined
  })
}

/** Checks that a card that disappears stays listed until the pod that holds it ends. Runs after the other checks. */
export const heldCardCheck: Check = {
  name: 'a held device that disappears stays in capacity, unhealthy in the status of its pod, until the pod ends',
  component: 'devicePlugin',
  failureText: `units of ${CARD} on`,
  async run(testCluster) {
    const { node, name } = await holdCard(testCluster)
    await onNode(node, `mv ${DEVICES}/by-id/usb-A ${FILES}/unplugged`)
    testCluster.addCleanup(async () => void (await onNode(node, `mv ${FILES}/unplugged ${DEVICES}/by-id/usb-A`)))
    if (!lacksGate('ResourceHealthStatus')) await untilUnhealthy(testCluster, name)
    await testCluster.untilUnits(node, CARD, '1/0')
    await untilListedUnhealthy(testCluster, name)
    await testCluster.deletePod(name)
    await testCluster.untilUnits(node, CARD, '0/0')
  },
}
