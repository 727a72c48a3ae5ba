import {
  DEVICE_PLUGIN_API_VERSION,
  KUBELET_SOCKET_NAME,
  PodResourcesListerClient,
  RegistrationClient,
  type PodResources,
} from '@berth/kubelet-api'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ConformanceTarget, Json } from '../runner/conformance-case.ts'
import { readAnswer } from '../runner/read-answer.ts'
import { startScriptedPlugin, type ScriptedPlugin, type ScriptedPluginOptions } from './scripted-plugin.ts'

/** A kubelet under test, embedded or real, and the API server behind it. */
export interface DeviceSite extends Pick<ConformanceTarget, 'handle' | 'pause' | 'runId'> {
  readonly nodeName: string
  /** Paths of its directories in this process, which must be short. */
  readonly devicePlugins: string
  readonly pluginsRegistry: string
  readonly podResources: string
  /** Path of `pluginsRegistry` for the kubelet. */
  readonly registrySeenByKubelet: string
  readonly restartKubelet: () => Promise<void>
}

/** The only resource of all cases: a kubelet never forgets the name of a resource by itself. */
export const RESOURCE = 'exchanges.berth.dev/device'
/** An image that every node has, because every pod uses it. */
const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'
/** Polls before a wait gives up, and the time between them. */
const MAX_POLLS = 300
const POLL_MS = 200

/** A pod to create, with the limits of its container and of its init container. */
export interface PodOptions {
  readonly name: string
  readonly limits?: Readonly<Record<string, string>>
  readonly initLimits?: Readonly<Record<string, string>>
}

/** Drives a kubelet and scripted plugins next to it. Notes make up the transcript. */
export interface DeviceSession {
  readonly site: DeviceSite
  note(what: string, value: Json): void
  /** Starts a plugin that is not registered yet. */
  startPlugin(
    how: 'classic' | 'watcher',
    options?: Partial<ScriptedPluginOptions>,
  ): Promise<ScriptedPlugin & { readonly socketName: string }>
  /** Registers with the kubelet, and notes the response. */
  register(endpoint: string, changes?: { readonly version?: string; readonly resourceName?: string }): Promise<void>
  /** Waits until the node reports `capacity/allocatable` as expected, and notes what it reports. */
  untilCounts(expected: string, resource?: string): Promise<void>
  /** Waits until a condition holds, and notes whether it does. */
  until(what: string, condition: () => boolean): Promise<void>
  /** Creates a pod on the node. */
  createPod(options: PodOptions): Promise<void>
  /** Waits until `isDone`, and notes the pod's phase, reason and device health. */
  untilPod(name: string, isDone: (pod: Json) => boolean): Promise<Json>
  deletePod(name: string): Promise<void>
  patchNode(status: object): Promise<void>
  /** Returns the containers of a pod from the pod resources API. */
  resources(name: string): Promise<readonly Json[]>
  /** Returns the allocatable ids from the pod resources API. */
  allocatable(): Promise<readonly string[]>
}

/** Starts a session; `end` stops its plugins and deletes its pods. */
export function startDeviceSession(
  site: DeviceSite,
  namespace: string,
  transcript: Json[],
): { readonly session: DeviceSession; readonly end: () => Promise<void> } {
  const plugins: ScriptedPlugin[] = []
  const pods: string[] = []
  const nodePath = `/api/v1/nodes/${site.nodeName}`
  const podPath = (name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`
  const note = (what: string, value: Json): void => void transcript.push({ [what]: value })

  async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Json> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await site.handle({
      method,
      path,
      headers: { accept: 'application/json', 'user-agent': 'exchanges/1.0', 'content-type': type },
      ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
    })
    return readAnswer(response)
  }

  async function poll(condition: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < MAX_POLLS; i++) {
      if (await condition()) return
      await site.pause(POLL_MS)
    }
  }

  async function counts(resource: string): Promise<string> {
    const { status } = await send('GET', nodePath)
    return `${status?.capacity?.[resource] ?? '-'}/${status?.allocatable?.[resource] ?? '-'}`
  }

  async function callPodResources<T>(
    ask: (client: PodResourcesListerClient, done: (error: ServiceError | null, value: T) => void) => void,
  ): Promise<T> {
    const client = new PodResourcesListerClient(
      `unix://${join(site.podResources, KUBELET_SOCKET_NAME)}`,
      credentials.createInsecure(),
    )
    try {
      return await new Promise((resolve, reject) => {
        ask(client, (error, value) => (error === null ? resolve(value) : reject(error)))
      })
    } finally {
      client.close()
    }
  }

  const session: DeviceSession = {
    site,
    note,
    async startPlugin(how, options = {}) {
      const socketName = `x-${randomBytes(4).toString('hex')}.sock`
      const socket = join(how === 'classic' ? site.devicePlugins : site.pluginsRegistry, socketName)
      const endpoint = join(site.registrySeenByKubelet, socketName)
      const devices = ['d0', 'd1', 'd2', 'd3']
      const plugin = await startScriptedPlugin({ socket, endpoint, resourceName: RESOURCE, devices, ...options })
      plugins.push(plugin)
      return Object.assign(plugin, { socketName })
    },
    async register(endpoint, { version = DEVICE_PLUGIN_API_VERSION, resourceName = RESOURCE } = {}) {
      const address = `unix://${join(site.devicePlugins, KUBELET_SOCKET_NAME)}`
      const client = new RegistrationClient(address, credentials.createInsecure())
      const answer = await new Promise<string>((resolve) => {
        client.register({ version, endpoint, resourceName, options: undefined }, (error) =>
          resolve(error === null ? 'registered' : error.details),
        )
      })
      client.close()
      note('Register', answer)
    },
    async untilCounts(expected, resource = RESOURCE) {
      await poll(async () => (await counts(resource)) === expected)
      note('node', await counts(resource))
    },
    async until(what, condition) {
      let holds = false
      await poll(() => Promise.resolve((holds = condition())))
      note(what, holds)
    },
    async createPod({ name, limits = {}, initLimits }) {
      const container = (of: string, resources: object): object => ({
        name: of,
        image: PAUSE_IMAGE,
        imagePullPolicy: 'IfNotPresent',
        resources: { limits: resources },
      })
      await send('POST', `/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name },
        spec: {
          nodeName: site.nodeName,
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          tolerations: [{ operator: 'Exists' }],
          ...(initLimits === undefined ? {} : { initContainers: [container('init', initLimits)] }),
          containers: [container('main', limits)],
        },
      })
      pods.push(name)
    },
    async untilPod(name, isDone) {
      let pod: Json
      await poll(async () => {
        pod = await send('GET', podPath(name))
        return isDone(pod)
      })
      const { phase, reason, message, containerStatuses = [] } = pod.status ?? {}
      const health = containerStatuses.flatMap(({ allocatedResourcesStatus = [] }: Json) => allocatedResourcesStatus)
      note('pod', {
        phase,
        ...(reason === undefined ? {} : { reason, message }),
        devices: health.map((each: Json) => [each.name, each.resources.map((one: Json) => one.health).toSorted()]),
      })
      return pod
    },
    async deletePod(name) {
      await send('DELETE', `${podPath(name)}?gracePeriodSeconds=0`)
      await poll(async () => (await send('GET', podPath(name))).kind !== 'Pod')
    },
    async patchNode(status) {
      await send('PATCH', `${nodePath}/status`, { status })
    },
    async resources(name) {
      const { podResources } = await callPodResources<{ podResources: PodResources[] }>((client, done) =>
        client.list({}, done),
      )
      const own = podResources.find((each) => each.name === name && each.namespace === namespace)
      return (own?.containers ?? []).map((each) => ({ name: each.name, devices: each.devices }))
    },
    async allocatable() {
      const { devices } = await callPodResources<{ devices: { resourceName: string; deviceIds: string[] }[] }>(
        (client, done) => client.getAllocatableResources({}, done),
      )
      return devices
        .filter((each) => each.resourceName === RESOURCE)
        .flatMap(({ deviceIds }) => deviceIds)
        .toSorted()
    },
  }

  return {
    session,
    async end() {
      for (const name of pods) await session.deletePod(name)
      for (const plugin of plugins) plugin.stop()
      // The next case must start with a kubelet that saw the end of this one.
      await poll(async () => /\/[-0]$/u.test(await counts(RESOURCE)))
    },
  }
}
