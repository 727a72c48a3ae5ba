import type { ClusterView } from '@berth/cluster-view'
import type { ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Pod, Random } from '@berth/types'
import type { UnboundPods } from '../binding/unbound-pods.ts'
import type { EffectDeadlines, WriteFence } from '../binding/run-hook.ts'
import type { Profile } from '@berth/scheduler-config'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import type { ExtenderCallContext } from '../extenders/observe-call.ts'
import type { AttemptMetrics } from '../metrics/attempt-metrics.ts'
import type { VictimEvictor } from '../preemption/victim-evictor.ts'
import type { QueuedPodInfo } from '../queue/queued-pod.ts'
import type { KubeletRejections } from '../rejections/kubelet-rejections.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'
import type { OutcomeReporter } from '../report/outcome-reporter.ts'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import type { BackgroundTasks } from '../tasks/background-tasks.ts'
import type { TaskBudget } from '../tasks/task-budget.ts'
import type { VolumeBinder } from '../volumes/volume-binder.ts'

/** The dependencies that all attempts of a scheduler share. */
export interface AttemptContext {
  readonly queue: SchedulingQueue
  readonly view: ClusterView
  readonly client: ApiClient
  readonly reporter: OutcomeReporter
  readonly evictor: VictimEvictor
  /** In call order. */
  readonly extenders: readonly ExtenderClient[]
  /** Everything that runs in the background; without a limit. */
  readonly tasks: BackgroundTasks
  /** Returns the budget of a binder; see {@link binderOf}. */
  readonly budgetOf: (binder: string) => TaskBudget
  readonly waitingPods: WaitingPodRegistry
  readonly volumes: VolumeBinder
  readonly unboundPods: UnboundPods
  /** Nodes of assumed pods that the view does not show bound yet, by uid. */
  readonly assumedNodes: Map<string, string>
  readonly metrics: AttemptMetrics
  readonly rejections: KubeletRejections
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Aborts when calls in flight are to be abandoned. */
  readonly signal: AbortSignal
  readonly fence: WriteFence
  readonly deadlines: EffectDeadlines
}

/** One attempt to schedule one pod. */
export interface Attempt {
  readonly info: QueuedPodInfo
  /** The pod with its nomination, which its status may not show yet. */
  readonly pod: Pod
  readonly profile: Profile
  readonly startMs: number
  /** The annotations of the Binding, which plugins gave when the pod was assumed; undefined if there are none. */
  bindingAnnotations?: Readonly<Record<string, string>> | undefined
}

/** Returns the context of calls to extenders. */
export function extenderCallContext({ clock, signal, metrics }: AttemptContext): ExtenderCallContext {
  return {
    signal,
    monotonic: () => clock.monotonic(),
    observe: metrics.extenderCall,
    startTask: (operation) => metrics.task(operation),
  }
}
