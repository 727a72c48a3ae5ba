import type { Pod } from '@berth/types'
import type { EffectRunner } from '../binding/effect-runner.ts'
import type { WriteFence } from '../binding/run-hook.ts'
import type { VolumeBinder } from './volume-binder.ts'

/** Options of {@link withVolumes}. */
export interface WithVolumesOptions {
  readonly pod: Pod
  readonly volumes: VolumeBinder
  /** Aborts when the pod is preempted before its bind, and at shutdown. */
  readonly ended: AbortSignal
  readonly fence: WriteFence
}

/**
 * Returns a runner that binds the volumes of the pod before the preBind hooks, and releases them after the unreserve
 * hooks. The volumes are reserved when the pod is assumed.
 */
export function withVolumes(runner: EffectRunner, { pod, volumes, ended, fence }: WithVolumesOptions): EffectRunner {
  return {
    ...runner,
    async preBind() {
      await volumes.bind(pod, { ended, fence })
      return runner.preBind()
    },
    async unreserve() {
      await runner.unreserve()
      volumes.release(pod)
    },
    async postBind() {
      volumes.settle(pod)
      await runner.postBind()
    },
  }
}
