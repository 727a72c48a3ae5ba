import { z } from 'zod'
import type { PluginArgs } from './plugin-args.ts'
import { refuseArgs } from './refuse-args.ts'

/** Name of the built-in plugin that chooses the volumes which the scheduler binds. */
export const VOLUME_BINDING = 'VolumeBinding'

/** kube-scheduler's default. */
const DEFAULT_BIND_TIMEOUT_SECONDS = 600

// `shape` is refused: kube-scheduler reads it only with the gate StorageCapacityScoring, which is off by default.
const schema = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  bindTimeoutSeconds: z.int().min(0).default(DEFAULT_BIND_TIMEOUT_SECONDS),
})

/** How the volumes of pods are bound. */
export interface VolumeBindingArgs {
  /** Longest time that a pod waits for its volumes after its node was chosen, milliseconds. */
  readonly bindTimeoutMs: number
}

/**
 * Reads the arguments of VolumeBinding.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE naming the key.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function readVolumeBindingArgs(given: PluginArgs | undefined): VolumeBindingArgs {
  const parsed = schema.safeParse(given?.args ?? {})
  if (parsed.success) return { bindTimeoutMs: parsed.data.bindTimeoutSeconds * 1_000 }
  refuseArgs(VOLUME_BINDING, given?.path, z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '))
}
