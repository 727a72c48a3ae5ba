import { runOrThrow } from '../cluster/run-command.ts'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import { testEnvironment } from '../cluster/test-environment.ts'
import type { Check } from './check.ts'
import { holdDevice } from './held-device.ts'
import {
  countRegistrations,
  createPortFiles,
  onNode,
  PLUGIN_PROCESS,
  pluginLog,
  pluginPod,
  PORT,
  portValues,
  untilPorts,
} from './kubelet.ts'
import { mergeValues } from '../cluster/merge-values.ts'

const SEAT = 'example.com/gated-seat'
const GATE = '/var/lib/berth-e2e/gate'
const WAITING = 'Waiting at the gate'
const SOCKETS = '/var/lib/kubelet/plugins_registry -type s -name "berth-*.sock"'
/** Pods of one controller that the kubelet may refuse while a node boots and its plugin has not registered yet. */
const MAX_REFUSED = 5

/** A device source whose allocations wait for a file. */
export const gatedSource = `
import { existsSync } from 'node:fs'
import { z } from 'zod'
export const plugin = {
  kind: 'device-source', apiVersion: 'berth.dev/v1', name: 'gated-seats', description: 'Seats behind a gate.',
  argsSchema: z.strictObject({}),
  create: (_args, { log }) => ({
    async *discover(signal) {
      yield ['seat-a', 'seat-b'].map((id) => ({ id, health: 'Healthy' }))
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    async allocate() {
      if (existsSync('${GATE}')) return {}
      log.info({}, '${WAITING}')
      await new Promise(() => {})
    },
  }),
}
`

/** Returns the chart values for ports and for seats of {@link gatedSource}. @param volume - A volume with the source. */
export function restartValues(node: string, volume: unknown): unknown {
  const resources = [{ name: SEAT, source: 'gated-seats' }]
  return mergeValues(portValues(node), { devicePlugin: { plugins: { volume }, config: { resources } } })
}

/** Creates the files of the ports and opens the gate. */
export async function createFiles(node: string): Promise<void> {
  await createPortFiles(node)
  await onNode(node, `: > ${GATE}`)
}

const sockets = (node: string): Promise<string> => onNode(node, `find ${SOCKETS} | sort`)

/** Deletes the sockets of the plugin, and waits until it has opened others. */
async function wipeSockets(testCluster: TestCluster, node: string): Promise<void> {
  const before = await sockets(node)
  expectThat(before !== '', 'the plugin has no socket')
  await onNode(node, `find ${SOCKETS} -delete`)
  await testCluster.until('new sockets', async () => {
    const now = await sockets(node)
    const isComplete = now.split('\n').length === before.split('\n').length
    return isComplete && !before.split('\n').some((path) => path !== '' && now.includes(path)) ? true : undefined
  })
}

/**
 * Waits until the plugin has registered all its resources once more. The units in the status of the node do not show this: they may
 * be those of before.
 */
async function untilRegisteredAgain(testCluster: TestCluster, plugin: string, before: number): Promise<void> {
  const expected = before + [PORT, SEAT].length
  await testCluster.until(`${plugin} to register its resources`, async () =>
    (await countRegistrations(testCluster, plugin)) >= expected ? true : undefined,
  )
}

const killedDuringAllocate: Check = {
  name: 'a plugin that is killed during Allocate fails that pod only: its device is free for the next one',
  component: 'devicePlugin',
  failureText: `units of ${SEAT} on`,
  async run(testCluster) {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SEAT, '2/2')
    const holder = await holdDevice(testCluster, SEAT, 'holder')
    await onNode(node, `rm ${GATE}`)
    const victim = testCluster.uniqueName('victim')
    await testCluster.createPod(pausePod(victim, { [SEAT]: '1' }))
    const { name: plugin, restarts } = await pluginPod(testCluster)
    await testCluster.until('the call of Allocate', async () =>
      (await pluginLog(testCluster, plugin)).includes(WAITING) ? true : undefined,
    )
    await onNode(node, `kill -KILL ${PLUGIN_PROCESS}; : > ${GATE}`)
    await testCluster.until(`${victim} to be refused`, async () => {
      const reason = await testCluster.kubectl('get', 'pod', victim, '-o', 'jsonpath={.status.phase} {.status.reason}')
      return reason === 'Failed UnexpectedAdmissionError' ? true : undefined
    })
    await testCluster.until('the next process of the plugin', async () => {
      const now = await pluginPod(testCluster)
      return now.isReady && now.restarts === restarts + 1 ? true : undefined
    })
    await testCluster.untilUnits(node, SEAT, '2/2')
    const next = await holdDevice(testCluster, SEAT, 'next')
    expectThat(next.id !== holder.id, `two pods hold ${next.id}`)
    await holder.expectUntouched()
  },
}

/** Disturbs the plugin, and checks that it registers again and that a pod keeps its port. */
async function expectPortKept(testCluster: TestCluster, disturb: (node: string) => Promise<void>): Promise<void> {
  await untilPorts(testCluster, '4/4')
  const holder = await holdDevice(testCluster, PORT, 'holder')
  const plugin = await pluginPod(testCluster)
  // Now, because a kubelet that is stopped serves no logs.
  const registrations = await countRegistrations(testCluster, plugin.name)
  await disturb(testCluster.workers[0] ?? '')
  await untilRegisteredAgain(testCluster, plugin.name, registrations)
  await untilPorts(testCluster, '4/4')
  // The kubelet calls the plugin again.
  const next = await holdDevice(testCluster, PORT, 'next')
  expectThat(next.id !== holder.id, `two pods hold ${next.id}`)
  await holder.expectUntouched()
  expectThat((await pluginPod(testCluster)).restarts === plugin.restarts, 'the plugin was restarted')
}

const wipedDirectory: Check = {
  name: 'a plugin whose sockets are deleted registers again, and a running pod keeps its device',
  component: 'devicePlugin',
  failureText: `units of ${PORT} on`,
  run: (testCluster) => expectPortKept(testCluster, (node) => wipeSockets(testCluster, node)),
}

const pluginFirst: Check = {
  name: 'a kubelet that starts after the plugin opened its sockets finds it, and a running pod keeps its device',
  component: 'devicePlugin',
  failureText: `units of ${PORT} on`,
  run: (testCluster) =>
    expectPortKept(testCluster, async (node) => {
      await onNode(node, 'systemctl stop kubelet')
      testCluster.addCleanup(async () => void (await onNode(node, 'systemctl start kubelet')))
      await wipeSockets(testCluster, node)
      await onNode(node, 'systemctl start kubelet')
    }),
}

interface ControlledPod {
  readonly status: {
    readonly phase: string
    readonly containerStatuses?: readonly {
      readonly ready: boolean
      readonly state: { readonly running?: { readonly startedAt: string } }
    }[]
  }
}

const rebootedNode: Check = {
  name: 'after a reboot, in which the kubelet starts before the plugin, the pods of a controller get their devices again',
  component: 'devicePlugin',
  failureText: `units of ${PORT} on`,
  async run(testCluster) {
    const node = testCluster.workers[0] ?? ''
    await untilPorts(testCluster, '4/4')
    const name = testCluster.uniqueName('rebooted')
    const { spec } = pausePod(name, { [PORT]: '4' })
    const labels = { 'berth-e2e-app': name }
    const template = { metadata: { labels }, spec }
    const controller = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace: 'default' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    }
    const { kubeconfig, engine } = testEnvironment()
    testCluster.addCleanup(async () => {
      await testCluster.kubectl('delete', 'replicaset', name, '--cascade=foreground', '--wait')
    })
    await runOrThrow('kubectl', ['--kubeconfig', kubeconfig, 'apply', '-f', '-'], { input: JSON.stringify(controller) })
    const podsOf = async (): Promise<readonly ControlledPod[]> => {
      const list = await testCluster.kubectl('get', 'pods', '-l', `berth-e2e-app=${name}`, '-o', 'json')
      return (JSON.parse(list) as { readonly items: readonly ControlledPod[] }).items
    }
    const runningSince = ({ status }: ControlledPod): string => {
      const [container] = status.containerStatuses ?? []
      return status.phase === 'Running' && container?.ready === true ? (container.state.running?.startedAt ?? '') : ''
    }
    const startOf = async (): Promise<string | undefined> =>
      (await podsOf())
        .map((pod) => runningSince(pod))
        .toSorted()
        .at(-1) || undefined
    const before = await testCluster.until('a pod with all ports', startOf)
    await runOrThrow(engine, ['restart', node])
    await testCluster.until('a pod with all ports after the reboot', async () => {
      const since = await startOf()
      return since !== undefined && since > before ? true : undefined
    })
    await untilPorts(testCluster, '4/4')
    const refused = (await podsOf()).filter(({ status }) => status.phase === 'Failed').length
    console.log(`while the node booted, the kubelet refused ${refused} pods`)
    expectThat(refused <= MAX_REFUSED, `the kubelet refused ${refused} pods in a loop`)
  },
}

/** Checks of the plugin through restarts of its parts and of its node, in this order. */
export const restartChecks: readonly Check[] = [killedDuringAllocate, wipedDirectory, pluginFirst, rebootedNode]
