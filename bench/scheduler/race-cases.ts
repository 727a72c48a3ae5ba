import type { RaceCase } from './race-case.ts'
import type { RaceValue } from './race-values.ts'
import { gatedWorkload } from './workloads/gated.ts'
import { openLoopWorkload } from './workloads/open-loop.ts'
import { preemptionWorkload } from './workloads/preemption.ts'
import { unschedulableWorkload } from './workloads/unschedulable.ts'
import {
  basicWorkload,
  coldStartWorkload,
  sharedWorkload,
  spreadWorkload,
  uniqueWorkload,
} from './workloads/waiting-pods.ts'

const throughput: readonly RaceValue[] = [
  'boundPerSecond',
  'eventPerSecond',
  'cpuUsPerPod',
  'serverCpuUsPerPod',
  'observerCpuUsPerPod',
]
/** Goals for the CPU time per pod, in microseconds. */
const [CPU_US, LARGE_CPU_US] = [200, 250]
const small = { nodes: 100, pods: 100 }

/** The races of the benchmark, with the goals for Berth. */
export const raceCases: readonly RaceCase[] = [
  {
    name: 'shared-1k',
    workload: sharedWorkload({ nodes: 1_000, pods: 3_000 }),
    quick: sharedWorkload(small),
    values: throughput,
    goals: { boundPerSecond: { ratioAtLeast: 3 }, eventPerSecond: { ratioAtLeast: 2.5 } },
  },
  {
    name: 'shared-5k',
    workload: sharedWorkload({ nodes: 5_000, pods: 5_000 }),
    quick: sharedWorkload({ nodes: 200, pods: 200 }),
    values: throughput,
    goals: {
      boundPerSecond: { ratioAtLeast: 3.5 },
      eventPerSecond: { ratioAtLeast: 3 },
      cpuUsPerPod: { medianAtMost: CPU_US },
    },
  },
  {
    name: 'unique-5k',
    workload: uniqueWorkload({ nodes: 5_000, pods: 5_000 }),
    quick: uniqueWorkload({ nodes: 200, pods: 200 }),
    values: throughput,
    goals: {
      boundPerSecond: { ratioAtLeast: 15 },
      eventPerSecond: { ratioAtLeast: 12 },
      cpuUsPerPod: { medianAtMost: CPU_US },
    },
  },
  {
    name: 'basic-5k',
    workload: basicWorkload({ nodes: 5_000, pods: 5_000 }),
    quick: basicWorkload({ nodes: 200, pods: 200 }),
    values: throughput,
    goals: {
      boundPerSecond: { ratioAtLeast: 2.5 },
      eventPerSecond: { ratioAtLeast: 2 },
      cpuUsPerPod: { medianAtMost: CPU_US },
    },
  },
  {
    name: 'spread-1k',
    workload: spreadWorkload({ nodes: 1_000, pods: 1_500 }),
    quick: spreadWorkload(small),
    values: throughput,
  },
  {
    name: 'spread-5k',
    workload: spreadWorkload({ nodes: 5_000, pods: 1_500 }),
    quick: spreadWorkload({ nodes: 200, pods: 200 }),
    values: throughput,
  },
  {
    name: 'preemption',
    workload: preemptionWorkload({ nodes: 1_000, pods: 500 }),
    quick: preemptionWorkload({ nodes: 50, pods: 25 }),
    values: throughput,
  },
  {
    name: 'gated',
    workload: gatedWorkload({ nodes: 1_000, pods: 3_000 }),
    quick: gatedWorkload(small),
    values: throughput,
  },
  {
    name: 'unschedulable',
    workload: unschedulableWorkload({ nodes: 5_000, pods: 2_000 }, 10_000),
    quick: unschedulableWorkload(small, 200),
    values: throughput,
  },
  {
    name: 'shared-50k',
    workload: sharedWorkload({ nodes: 50_000, pods: 2_000 }),
    quick: sharedWorkload({ nodes: 1_000, pods: 100 }),
    values: throughput,
    goals: { cpuUsPerPod: { medianAtMost: LARGE_CPU_US } },
  },
  {
    name: 'latency',
    workload: openLoopWorkload({ nodes: 5_000, pods: 3_000 }, 100),
    quick: openLoopWorkload({ nodes: 100, pods: 200 }, 100),
    values: ['latencyP50Ms', 'latencyP99Ms', 'cpuUsPerPod', 'serverCpuUsPerPod'],
    goals: { latencyP99Ms: { medianAtMost: 25 } },
  },
  {
    name: 'cold-start',
    workload: coldStartWorkload({ nodes: 5_000, pods: 1_000 }, 10_000),
    quick: coldStartWorkload(small, 200),
    values: ['firstBindMs'],
    goals: { firstBindMs: { medianAtMost: 1_500 } },
  },
]
