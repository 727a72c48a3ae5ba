/** KubeSchedulerConfiguration: the file, and the profiles of plugins that it describes. */
export { buildProfiles } from './build-profiles.ts'
export { configMapsOf } from './config-maps-of.ts'
export { formatDurationMs, parseDurationMs } from './duration.ts'
export { schedulerConfigErrors } from './errors.ts'
export { durationText } from './extender-entry.ts'
export type { ExtenderEntry, ExtenderTls } from './extender-entry.ts'
export { idleSettings, type IdleSetting } from './idle-settings.ts'
export { defaultLeaderElection, kubeSchedulerConfiguration } from './kube-scheduler-configuration.ts'
export type { ProfileEntry } from './kube-scheduler-configuration.ts'
export { hasUnusedArgs } from './plugin-args.ts'
export {
  buildExtenderProfile,
  extenderPlugin,
  type ExtenderPlugin,
  type ExtenderProfile,
} from './extender/extender-profile.ts'
export {
  judgeNodes,
  misfitOf,
  type NodeVerdicts,
  reasonsByNode,
  type ReasonGroup,
  scoreNodes,
} from './extender/judge-nodes.ts'
export { createRecordedState, type RecordedState } from './extender/recorded-state.ts'
export {
  parseRecordingLine,
  RECORDING_VERSION,
  redactMetadata,
  redactNode,
  redactPod,
  type RecordedBind,
  type RecordedCall,
  type RecordedChanges,
  type RecordedFilter,
  type RecordedPreempt,
  type RecordedPrioritize,
  type RecordedReasons,
  type RecordedVictims,
  type RecordingLine,
  type RecordingStart,
} from './extender/verdict-recording.ts'
export type { EffectPlugin } from './effect-plugin.ts'
export { VOLUME_BINDING, type VolumeBindingArgs } from './volume-binding-args.ts'
export type { Profile } from './profile.ts'
export { DEFAULT_SCHEDULER, schedulerNameOf } from './scheduler-name-of.ts'
export { invalidConfiguration, readSchedulerConfiguration } from './read-scheduler-configuration.ts'
export type { SchedulerConfiguration } from './read-scheduler-configuration.ts'
