import { must } from '../cluster/run-command.ts'
import { check, pausePod, type Scenario, type Scene } from '../cluster/test-cluster.ts'
import { sessionUnderTest } from '../cluster/test-environment.ts'
import type { BerthPlay } from './check.ts'

const PORT = 'example.com/port'
const FOLDER = '/var/lib/berth-e2e'
/** How long nothing may change before a restart counts as survived. */
const STEADY_MS = 5_000

/** Values for devices that are files on one node, each with a health file. */
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

/** Runs a shell line inside a node's container. */
export function onNode(node: string, script: string): Promise<string> {
  return must(sessionUnderTest().engine, ['exec', node, 'sh', '-euc', script])
}

/** Plugs four ports into a node. */
export async function plugIn(node: string): Promise<void> {
  const each = `: > ${FOLDER}/port$i; echo Healthy > ${FOLDER}/health-of-port$i`
  await onNode(node, `mkdir -p ${FOLDER}; for i in 0 1 2 3; do ${each}; done; chmod -R a+rX ${FOLDER}`)
}

/** Takes them away. */
export async function unplug(node: string): Promise<void> {
  await onNode(node, `rm -rf ${FOLDER}`)
}

const nodeOf = (scene: Scene): string => scene.workers[0] ?? ''

async function untilPorts(scene: Scene, units: string): Promise<void> {
  const node = nodeOf(scene)
  await scene.until(`${units} ports on ${node}`, async () =>
    (await scene.units(node, PORT)) === units ? true : undefined,
  )
}

/** Watches the ports while `disturb` runs, and until `isOver` was seen and nothing has changed for a while. */
async function unitsThroughout(
  scene: Scene,
  disturb: () => Promise<unknown>,
  isOver: () => Promise<boolean>,
): Promise<readonly string[]> {
  const seen = new Set<string>()
  const ended = disturb()
  let steadySinceMs = performance.now()
  let last = ''
  await scene.until('the end of the disturbance', async () => {
    const units = await scene.units(nodeOf(scene), PORT)
    seen.add(units)
    if (units !== last || !(await isOver())) steadySinceMs = performance.now()
    last = units
    return performance.now() - steadySinceMs > STEADY_MS ? true : undefined
  })
  await ended
  return [...seen]
}

/** When the kubelet last wrote its node's status; it does so once as it starts, and then when something changes. */
async function lastHeartbeat(scene: Scene): Promise<string> {
  const { status } = await scene.node(nodeOf(scene))
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return (ready as { readonly lastHeartbeatTime?: string } | undefined)?.lastHeartbeatTime ?? ''
}

interface PluginPod {
  readonly name: string
  readonly restarts: number
  readonly isReady: boolean
}

async function pluginPod(scene: Scene): Promise<PluginPod> {
  const { items } = JSON.parse(
    await scene.kubectl('get', 'pods', '-A', '-l', 'app.kubernetes.io/component=device-plugin', '-o', 'json'),
  ) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
      readonly status: {
        readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[]
      }
    }[]
  }
  const pod = items.find(({ metadata }) => metadata.deletionTimestamp === undefined)
  const [container] = pod?.status.containerStatuses ?? []
  return { name: pod?.metadata.name ?? '', restarts: container?.restartCount ?? 0, isReady: container?.ready === true }
}

/**
 * A kubelet that starts shows no device until their plugin is found again. Its first word on the node's status usually comes
 * later than that; where it comes earlier, the next one ten seconds after it puts things right.
 */
function restartPlay(how: string, script: string): BerthPlay {
  return {
    name: `the ports are back by themselves when the kubelet ${how}; the plugin goes on as it was`,
    component: 'devicePlugin',
    missing: '4/4 ports on',
    async run(scene) {
      await untilPorts(scene, '4/4')
      const before = await lastHeartbeat(scene)
      const plugin = await pluginPod(scene)
      const seen = await unitsThroughout(
        scene,
        () => onNode(nodeOf(scene), script),
        async () => (await lastHeartbeat(scene)) > before && (await scene.units(nodeOf(scene), PORT)) === '4/4',
      )
      console.log(`while the kubelet ${how}, the node showed ${seen.join(', ')}`)
      // Whether it is ready changes once, while it starts.
      const { name, restarts } = await pluginPod(scene)
      check(name === plugin.name && restarts === plugin.restarts, 'the plugin was restarted, too')
    },
  }
}

const PLUGIN_PROCESS = '$(pgrep -f "^node .*device-plugin/main.cjs")'

/** The same promise, while the plugin's process stands still: it neither answers the kubelet nor registers again. */
function withPluginStill(run: Scenario): Scenario {
  return async (scene) => {
    await untilPorts(scene, '4/4')
    await onNode(nodeOf(scene), `kill -STOP ${PLUGIN_PROCESS}`)
    try {
      await run(scene)
    } finally {
      // Before anything is undone: the kubelet ends no pod while it waits for the plugin's answer.
      await onNode(nodeOf(scene), `kill -CONT ${PLUGIN_PROCESS}`)
    }
  }
}

const killPlay = restartPlay(
  'is killed and started again',
  'systemctl kill --signal=KILL kubelet; sleep 1; systemctl start kubelet',
)

const healthPlay: BerthPlay = {
  name: 'an unhealthy port leaves allocatable, its pod’s status says so, and it comes back',
  component: 'devicePlugin',
  missing: '4/4 ports on',
  async run(scene) {
    await untilPorts(scene, '4/4')
    const name = scene.name('port-user')
    await scene.createPod(pausePod(name, { [PORT]: '4' }))
    await scene.untilRunning(name)
    const write = (health: string): Promise<string> =>
      onNode(nodeOf(scene), `echo ${health} > ${FOLDER}/health-of-port3`)
    scene.atEnd(async () => void (await write('Healthy')))
    await write('Unhealthy')
    await untilPorts(scene, '4/3')
    await scene.until('an unhealthy port in the pod’s status', async () => {
      const status = await scene.kubectl(
        'get',
        'pod',
        name,
        '-o',
        'jsonpath={.status.containerStatuses[0].allocatedResourcesStatus}',
      )
      return status.includes('Unhealthy') ? true : undefined
    })
    await write('Healthy')
    await untilPorts(scene, '4/4')
  },
}

/** What the device plugin promises beside a real kubelet that it can be cut off from. */
export const kubeletPlays: readonly BerthPlay[] = [
  healthPlay,
  restartPlay('restarts', 'systemctl restart kubelet'),
  killPlay,
  {
    name: 'a plugin that is killed is back before capacity falls',
    component: 'devicePlugin',
    missing: '4/4 ports on',
    async run(scene) {
      await untilPorts(scene, '4/4')
      const { restarts } = await pluginPod(scene)
      const seen = await unitsThroughout(
        scene,
        () => onNode(nodeOf(scene), `kill -KILL ${PLUGIN_PROCESS}`),
        async () => {
          const now = await pluginPod(scene)
          return now.isReady && now.restarts === restarts + 1 && (await scene.units(nodeOf(scene), PORT)) === '4/4'
        },
      )
      // A look of the kubelet between the two processes finds four ports, none of them healthy.
      console.log(`while the plugin was killed, the node showed ${seen.join(', ')}`)
      check(
        seen.every((units) => units.startsWith('4/')),
        `the node showed ${seen.join(', ')}`,
      )
    },
  },
  {
    name: 'a plugin whose pod is replaced is back with all ports',
    component: 'devicePlugin',
    missing: '4/4 ports on',
    async run(scene) {
      await untilPorts(scene, '4/4')
      const { name } = await pluginPod(scene)
      await unitsThroughout(
        scene,
        () => scene.kubectl('delete', 'pod', '-A', '--field-selector', `metadata.name=${name}`),
        async () => {
          const now = await pluginPod(scene)
          return now.isReady && now.name !== name
        },
      )
      await untilPorts(scene, '4/4')
    },
  },
]

/** Promises that need an answer of the plugin: while it stands still they must not hold, though it is installed. */
export const pluginStillPlays: readonly (BerthPlay & { readonly waitMs: number })[] = [
  { ...healthPlay, missing: 'port-user', waitMs: 5_000, run: withPluginStill(healthPlay.run) },
  // Longer than it takes where the plugin answers.
  { ...killPlay, missing: 'the end of the disturbance', waitMs: 15_000, run: withPluginStill(killPlay.run) },
]
