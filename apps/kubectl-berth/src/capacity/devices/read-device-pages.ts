import { errorText } from '@berth/text/error-text'
import type { ApiClient } from '@berth/k8s-client'
import { isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { readPage, type ReadOptions } from '../../output/read-json.ts'
import { devicesOfPage } from './device-page.ts'
import type { HeldDevice } from './held-devices.ts'

/** Port of the device plugin's health address, unless its pod declares another one as `health`. */
const HEALTH_PORT = 9401
/** Pages that are read at the same time. */
const CONCURRENCY = 16
/** A device plugin that does not answer within this time is not reachable. */
const TIMEOUT_MS = 3_000

/** The devices that the device plugins report. */
export interface DevicePages {
  /** By resource. */
  readonly devices: ReadonlyMap<string, readonly HeldDevice[]>
  /** Nodes whose device plugin gave no page, with the reason. */
  readonly failures: readonly { readonly node: string; readonly reason: string }[]
}

/** Returns the pods of Berth's device plugin on these nodes, by the labels of the chart. */
export function devicePluginPods(pods: readonly Pod[], nodeNames: ReadonlySet<string>): readonly Pod[] {
  return pods.filter((pod) => {
    const { labels = {} } = pod.metadata
    const isPlugin =
      labels['app.kubernetes.io/name'] === 'berth' && labels['app.kubernetes.io/component'] === 'device-plugin'
    return isPlugin && nodeNames.has(pod.spec.nodeName ?? '') && !isTerminal(pod)
  })
}

/** Reads `/debug/devices` of device plugin pods through the pod proxy of the API server. One request for each pod. */
export async function readDevicePages(
  client: Pick<ApiClient, 'raw'>,
  pods: readonly Pod[],
  { signal, deadline }: ReadOptions,
): Promise<DevicePages> {
  const devices = new Map<string, HeldDevice[]>()
  const failures: { node: string; reason: string }[] = []
  const read = async (pod: Pod): Promise<void> => {
    const node = pod.spec.nodeName ?? ''
    const answer = await pageOf(client, pod, {
      signal,
      deadline: { ...deadline, ms: Math.min(deadline.ms, TIMEOUT_MS) },
    })
    if (typeof answer === 'string') {
      failures.push({ node, reason: answer })
      return
    }
    for (const [name, found] of answer) devices.set(name, [...(devices.get(name) ?? []), ...found])
  }
  for (let start = 0; start < pods.length; start += CONCURRENCY) {
    await Promise.all(pods.slice(start, start + CONCURRENCY).map(read))
  }
  return { devices, failures }
}

/** Returns the devices of a page, or why there is none. */
async function pageOf(
  client: Pick<ApiClient, 'raw'>,
  { metadata, spec }: Pod,
  options: ReadOptions,
): Promise<ReadonlyMap<string, readonly HeldDevice[]> | string> {
  const { namespace = '', name = '' } = metadata
  const ports = spec.containers.flatMap(({ ports: declared = [] }) => declared)
  const port = ports.find((one) => one.name === 'health')?.containerPort ?? HEALTH_PORT
  const target = encodeURIComponent(`${name}:${port}`)
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${target}/proxy/debug/devices`
  try {
    const { status, text } = await readPage(client, path, { ...options, accept: 'application/json' })
    if (status !== 200) return `${status} ${messageOf(text)}`.trim()
    return devicesOfPage(JSON.parse(text), spec.nodeName ?? '') ?? 'the answer is not a list of devices'
  } catch (error) {
    options.signal.throwIfAborted()
    return errorText(error)
  }
}

/** Returns the message of a Status, or the text itself. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text.trim()
  }
}
