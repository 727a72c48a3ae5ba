import { NAMESPACE } from '../cluster/release.ts'
import { runOrThrow } from '../cluster/run-command.ts'
import { expectThat, pausePod, type CheckFunction, type TestCluster } from '../cluster/test-cluster.ts'
import { lacksGate } from '../cluster/version-differences.ts'
import { testEnvironment } from '../cluster/test-environment.ts'
import type { Check } from './check.ts'

/** The resource of {@link portValues}. */
export const PORT = 'example.com/port'
const FOLDER = '/var/lib/berth-e2e'
/** A restart counts as survived once the ports have not changed for this time. */
const STEADY_MS = 5_000

/** Returns the chart values for devices that are files on one node, each with a health file. */
export function portValues(node: string): unknown {
  const args = { paths: [`${FOLDER}/port*`], healthFile: `${FOLDER}/health-of-{name}`, rescanSeconds: 1 }
  return {
    devicePlugin: {
      config: { resources: [{ name: PORT, source: 'path-glob', args }] },
      hostPaths: [FOLDER],
      nodeSelector: { 'kubernetes.io/hostname': node },
    },
  }
}

/** Runs a shell script inside a node's container. */
export function onNode(node: string, script: string): Promise<string> {
  return runOrThrow(testEnvironment().engine, ['exec', node, 'sh', '-euc', script])
}

/** Creates the files of four ports on a node. */
export async function createPortFiles(node: string): Promise<void> {
  const each = `: > ${FOLDER}/port$i; echo Healthy > ${FOLDER}/health-of-port$i`
  await onNode(node, `mkdir -p ${FOLDER}; for i in 0 1 2 3; do ${each}; done; chmod -R a+rX ${FOLDER}`)
}

/** Removes the files of the ports. */
export async function removePortFiles(node: string): Promise<void> {
  await onNode(node, `rm -rf ${FOLDER}`)
}

const nodeOf = (testCluster: TestCluster): string => testCluster.workers[0] ?? ''

/** Waits until the node of the ports shows `units`. */
export const untilPorts = (testCluster: TestCluster, units: string): Promise<true> =>
  testCluster.untilUnits(nodeOf(testCluster), PORT, units)

/** Polls a resource of the first worker while `disturb` runs, until `isOver` is true and nothing has changed for a while. */
export async function unitsThroughout(
  testCluster: TestCluster,
  resource: string,
  disturb: () => Promise<unknown>,
  isOver: () => Promise<boolean>,
): Promise<readonly string[]> {
  const seen = new Set<string>()
  const ended = disturb()
  let steadySinceMs = performance.now()
  let last = ''
  await testCluster.until('the end of the disturbance', async () => {
    const units = await testCluster.units(nodeOf(testCluster), resource)
    seen.add(units)
    if (units !== last || !(await isOver())) steadySinceMs = performance.now()
    last = units
    return performance.now() - steadySinceMs > STEADY_MS ? true : undefined
  })
  await ended
  return [...seen]
}

/** Returns when the kubelet last wrote its node's status. It does so once at its start and then on changes. */
export async function lastHeartbeat(testCluster: TestCluster): Promise<string> {
  const { status } = await testCluster.node(nodeOf(testCluster))
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return (ready as { readonly lastHeartbeatTime?: string } | undefined)?.lastHeartbeatTime ?? ''
}

/** The pod of the device plugin. */
export interface PluginPod {
  readonly name: string
  readonly restarts: number
  readonly isReady: boolean
  readonly isEnding: boolean
}

/** Returns the pods of the device plugin, also those that are being deleted. An update starts a second one. */
export async function pluginPods(testCluster: TestCluster): Promise<readonly PluginPod[]> {
  const { items } = JSON.parse(
    await testCluster.kubectl('get', 'pods', '-A', '-l', 'app.kubernetes.io/component=device-plugin', '-o', 'json'),
  ) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
      readonly status: {
        readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[]
      }
    }[]
  }
  return items.map(({ metadata, status }) => {
    const [container] = status.containerStatuses ?? []
    return {
      name: metadata.name,
      restarts: container?.restartCount ?? 0,
      isReady: container?.ready === true,
      isEnding: metadata.deletionTimestamp !== undefined,
    }
  })
}

/** Returns the pod of the device plugin that is not being deleted. There must be one. */
export async function pluginPod(testCluster: TestCluster): Promise<PluginPod> {
  const pods = (await pluginPods(testCluster)).filter(({ isEnding }) => !isEnding)
  const [pod = { name: '', restarts: 0, isReady: false, isEnding: false }] = pods
  expectThat(pods.length === 1, `the device plugin has ${pods.length} pods`)
  return pod
}

/** Returns what a pod of the device plugin has logged. */
export const pluginLog = (testCluster: TestCluster, plugin: string): Promise<string> =>
  testCluster.kubectl('--namespace', NAMESPACE, 'logs', plugin)

/** Returns how often a process of the plugin has registered a resource. */
export async function countRegistrations(testCluster: TestCluster, plugin: string): Promise<number> {
  return (await pluginLog(testCluster, plugin)).split('Registered with the kubelet').length - 1
}

/**
 * Waits until the pods of an update have replaced all others and have registered. In between, the kubelet rejects pods, although the
 * status of their node still shows units.
 */
export async function untilPluginsReplaced(testCluster: TestCluster): Promise<void> {
  await testCluster.until('the plugins of the update to register', async () => {
    const plugins = await pluginPods(testCluster)
    const counts = await Promise.all(plugins.map(({ name }) => countRegistrations(testCluster, name)))
    const states = plugins.map(({ name, isEnding }, i) => `${name} ${isEnding ? 'ends' : `registered ${counts[i]}`}`)
    expectThat(plugins.length > 0 && states.every((state) => /registered [1-9]/.test(state)), states.join(', '))
    return true
  })
}

/**
 * A starting kubelet reports no devices until it has found their plugin again. Its first status update usually comes later
 * than that. If it comes earlier, the next one, ten seconds later, is correct.
 */
function kubeletRestartCheck(how: string, script: string): Check {
  return {
    name: `the ports return when the kubelet ${how}; the plugin keeps running`,
    component: 'devicePlugin',
    failureText: `units of ${PORT} on`,
    async run(testCluster) {
      await untilPorts(testCluster, '4/4')
      const before = await lastHeartbeat(testCluster)
      const plugin = await pluginPod(testCluster)
      const seen = await unitsThroughout(
        testCluster,
        PORT,
        () => onNode(nodeOf(testCluster), script),
        async () =>
          (await lastHeartbeat(testCluster)) > before && (await testCluster.units(nodeOf(testCluster), PORT)) === '4/4',
      )
      console.log(`while the kubelet ${how}, the node showed ${seen.join(', ')}`)
      // Readiness is not compared, because it changes once while the kubelet starts.
      const { name, restarts } = await pluginPod(testCluster)
      expectThat(name === plugin.name && restarts === plugin.restarts, 'the plugin was restarted as well')
    },
  }
}

/** A shell expression for the process of the plugin on its node. */
export const PLUGIN_PROCESS = '$(pgrep -f "^node .*device-plugin/main.cjs")'

/** Runs a check while the plugin's process is stopped, so that it neither answers the kubelet nor registers again. */
function withStoppedPlugin(run: CheckFunction): CheckFunction {
  return async (testCluster) => {
    await untilPorts(testCluster, '4/4')
    await onNode(nodeOf(testCluster), `kill -STOP ${PLUGIN_PROCESS}`)
    try {
      await run(testCluster)
    } finally {
      // Must come before the cleanup: the kubelet ends no pod while it waits for the plugin's answer.
      await onNode(nodeOf(testCluster), `kill -CONT ${PLUGIN_PROCESS}`)
    }
  }
}

const kubeletKillCheck = kubeletRestartCheck(
  'is killed and started again',
  'systemctl kill --signal=KILL kubelet; sleep 1; systemctl start kubelet',
)

async function untilUnhealthy(testCluster: TestCluster, pod: string): Promise<void> {
  await testCluster.until('an unhealthy port in the pod’s status', async () => {
    const path = 'jsonpath={.status.containerStatuses[0].allocatedResourcesStatus}'
    return (await testCluster.kubectl('get', 'pod', pod, '-o', path)).includes('Unhealthy') ? true : undefined
  })
}

const healthCheck: Check = {
  name: 'an unhealthy port is removed from allocatable and reported in its pod’s status, and returns when healthy',
  component: 'devicePlugin',
  failureText: `units of ${PORT} on`,
  async run(testCluster) {
    await untilPorts(testCluster, '4/4')
    const name = testCluster.uniqueName('port-user')
    await testCluster.createPod(pausePod(name, { [PORT]: '4' }))
    await testCluster.untilRunning(name)
    const write = (health: string): Promise<string> =>
      onNode(nodeOf(testCluster), `echo ${health} > ${FOLDER}/health-of-port3`)
    testCluster.addCleanup(async () => void (await write('Healthy')))
    await write('Unhealthy')
    await untilPorts(testCluster, '4/3')
    if (!lacksGate('ResourceHealthStatus')) await untilUnhealthy(testCluster, name)
    await write('Healthy')
    await untilPorts(testCluster, '4/4')
  },
}

/** Checks of the device plugin with a real kubelet that can be restarted. */
export const kubeletChecks: readonly Check[] = [
  healthCheck,
  kubeletRestartCheck('restarts', 'systemctl restart kubelet'),
  kubeletKillCheck,
  {
    name: 'a killed plugin is back before capacity falls',
    component: 'devicePlugin',
    failureText: `units of ${PORT} on`,
    async run(testCluster) {
      await untilPorts(testCluster, '4/4')
      const { restarts } = await pluginPod(testCluster)
      const seen = await unitsThroughout(
        testCluster,
        PORT,
        () => onNode(nodeOf(testCluster), `kill -KILL ${PLUGIN_PROCESS}`),
        async () => {
          const now = await pluginPod(testCluster)
          return (
            now.isReady &&
            now.restarts === restarts + 1 &&
            (await testCluster.units(nodeOf(testCluster), PORT)) === '4/4'
          )
        },
      )
      // Between the two processes the kubelet may report four ports, none of them healthy.
      console.log(`while the plugin was killed, the node showed ${seen.join(', ')}`)
      expectThat(
        seen.every((units) => units.startsWith('4/')),
        `the node showed ${seen.join(', ')}`,
      )
    },
  },
  {
    name: 'a plugin whose pod is replaced is back with all ports',
    component: 'devicePlugin',
    failureText: `units of ${PORT} on`,
    async run(testCluster) {
      await untilPorts(testCluster, '4/4')
      const { name } = await pluginPod(testCluster)
      await unitsThroughout(
        testCluster,
        PORT,
        () => testCluster.kubectl('delete', 'pod', '-A', '--field-selector', `metadata.name=${name}`),
        async () => {
          const now = await pluginPod(testCluster)
          return now.isReady && now.name !== name
        },
      )
      await untilPorts(testCluster, '4/4')
    },
  },
]

/** Checks that need an answer of the plugin. They must fail while the plugin is stopped, although it is installed. */
export const stoppedPluginChecks: readonly (Check & { readonly waitMs: number })[] = [
  { ...healthCheck, failureText: 'port-user', waitMs: 5_000, run: withStoppedPlugin(healthCheck.run) },
  // Longer than it takes when the plugin answers.
  {
    ...kubeletKillCheck,
    failureText: 'the end of the disturbance',
    waitMs: 15_000,
    run: withStoppedPlugin(kubeletKillCheck.run),
  },
]
