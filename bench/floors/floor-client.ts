/** Binds pods and writes one event for each, with one bare client. Usage: floor-client.ts CASE, a {@link FloorCase} */
import { forEachConcurrently } from '@berth/clock'
import type { FloorCase, FloorCost } from './floor-case.ts'
import { cpuMsOf } from '../scheduler/process-cpu.ts'
import { floorRequests } from './floor-requests.ts'
import { floorTransports } from './floor-transports.ts'

const { transport, encoding, server, ca, authorization, pods, inFlight, serverPid } = JSON.parse(
  process.argv[2] ?? '',
) as FloorCase
const requests = floorRequests(encoding)
const { contentType } = requests
const headers = { authorization, accept: contentType, 'content-type': contentType }
const client = await floorTransports[transport]({ server, ca, inFlight, headers })

async function place(i: number): Promise<void> {
  const pod = `${pods.prefix}-${i}`
  const node = `node-${i}`
  await postOrThrow(`/api/v1/namespaces/default/pods/${pod}/binding`, requests.binding(pod, node))
  await postOrThrow('/apis/events.k8s.io/v1/namespaces/default/events', requests.event(pod, node))
}

async function postOrThrow(path: string, body: Uint8Array): Promise<void> {
  const status = await client.post(path, body)
  if (status !== 201) throw new Error(`POST ${path}: ${status}`)
}

await forEachConcurrently(Array.from({ length: pods.warmUp }).keys(), inFlight, place)
const startedAt = performance.now()
const before = process.cpuUsage()
const serverBeforeMs = cpuMsOf(serverPid)
await forEachConcurrently(
  Array.from({ length: pods.measured }, (_, i) => pods.warmUp + i),
  inFlight,
  place,
)
const { user, system } = process.cpuUsage(before)
const cost: FloorCost = {
  cpuUs: (user + system) / pods.measured,
  wallUs: ((performance.now() - startedAt) * 1000) / pods.measured,
  ...(serverPid !== undefined && { serverCpuUs: ((cpuMsOf(serverPid) - serverBeforeMs) * 1000) / pods.measured }),
}
client.close()
console.log(JSON.stringify(cost))
