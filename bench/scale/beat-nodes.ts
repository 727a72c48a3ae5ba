import { connectQuietly } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { resourceRefs } from '@berth/k8s-client'
import { forEachConcurrently } from '@berth/clock'
import type { Measurement } from '../measurement.ts'
import { observationsOf } from '../unschedulable/scheduler-metrics.ts'
import { countWatch } from './count-bytes.ts'
import { line, type RunningParts } from './running-parts.ts'

const IN_FLIGHT = 32
const HANDLING = 'scheduler_event_handling_duration_seconds'
const NODE_UPDATE = 'event="NodeUpdate"'

/** Changes the conditions of nodes as kubelets do, and measures the watch of nodes and what the scheduler spends on it. */
export async function beatNodes(
  { cluster, scheduler, metrics, until }: RunningParts,
  heartbeats: number,
): Promise<readonly Measurement[]> {
  await using connected = connectQuietly({ access: cluster.access() })
  using watch = await countWatch(cluster.access(), '/api/v1/nodes')
  const handled = async (): Promise<number> => observationsOf(await metrics(), HANDLING, NODE_UPDATE).count
  const before = await handled()
  const cpuMs = scheduler.cpuMs()
  await forEachConcurrently(
    Array.from({ length: heartbeats }, (_, i) => `node-${i}`),
    IN_FLIGHT,
    async (name) => {
      const status = {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
        ],
      }
      await connected.client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
    },
  )
  await until('the watch of nodes', () => watch.count().lines >= heartbeats)
  await until('the heartbeats to be handled', async () => (await handled()) >= before + heartbeats)
  const cpu = ((scheduler.cpuMs() - cpuMs) * 1_000) / heartbeats
  return [
    line('watch of nodes, for each heartbeat of a node without images', 'B', [watch.count().bytes / heartbeats]),
    line('everything about a heartbeat: CPU time of the scheduler', 'us', [cpu]),
  ]
}
