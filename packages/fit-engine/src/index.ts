export type { ClusterState } from './state/cluster-state.ts'
export { createClusterState } from './state/create-cluster-state.ts'
export { type AnnotatedPod, annotateForBinding } from './decide/annotate-for-binding.ts'
export { decide } from './decide/decide.ts'
export type {
  DecideOptions,
  Decision,
  DecisionError,
  FunnelStep,
  NodeRejection,
  PluginScores,
} from './decide/decision.ts'
export { decisionOfRejections } from './decide/decision-of-rejections.ts'
export { drawIndex } from './decide/draw-index.ts'
export { mergeReasons } from './decide/merge-reasons.ts'
export { rejectFeasibleNodes } from './decide/reject-feasible-nodes.ts'
export { defaultPlugins } from './profile/default-plugins.ts'
export { BindingAnnotationsError, fitEngineErrors, ProfileError, StateError } from './errors.ts'
export { explain } from './explain/explain.ts'
export type {
  AddCapacityFix,
  AddLabelFix,
  EvictFix,
  Explanation,
  FilterFinding,
  Fix,
  Holder,
  LowerRequestFix,
  NodeCause,
  NodeExplanation,
  RelaxRuleFix,
  RemoveTaintFix,
  ResourceUsage,
  TolerateFix,
} from './explain/explanation.ts'
export type { VolumeFinding, VolumeProblem } from './explain/volumes/volume-finding.ts'
export { withRequest } from './explain/with-request.ts'
export { plan, type FreeBlock, type Plan } from './explain/plan.ts'
export {
  examineFilter,
  examineScore,
  type FilterExamination,
  type FilterStatus,
  type ScoreExamination,
} from './framework/examine.ts'
export type { EvaluationCounter, HookMeter, HookPoint } from './framework/hook-meter.ts'
export { createFramework, type Framework, type WeightedPlugin } from './framework/framework.ts'
export type { ClusterEvent, QueueingHint } from './framework/queueing-hint.ts'
export type { ArgsSchema, ObjectSchema } from './plugins/args/args-schema.ts'
export type { BuiltInArgs } from './profile/built-in-args.ts'
export {
  type BuiltInPlugin,
  type BuiltInPoint,
  builtInPlugins,
  decidesOnNodes,
  findBuiltIn,
} from './profile/built-in-plugins.ts'
export {
  candidateLimit,
  DEFAULT_PREEMPTION,
  parseDefaultPreemptionArgs,
  type PreemptionArgs,
} from './plugins/default-preemption/args.ts'
export { countsExtendedResource } from './plugins/node-resources-fit/plugin.ts'
export { isOffered } from './state/is-offered.ts'
export { assumeVolumes } from './plugins/volume-binding/assume-volumes.ts'
export {
  type ApiObjects,
  type BindingProgress,
  bindingProgress,
  type WrittenVolumes,
} from './plugins/volume-binding/binding-progress.ts'
export { claimForNode, planVolumes, volumeForClaim, type VolumePlan } from './plugins/volume-binding/plan-volumes.ts'
export { leastHarmful } from './preemption/least-harmful.ts'
export { preempt } from './preemption/preempt.ts'
export { describeVictims, reviewVictims } from './preemption/review-victims.ts'
export type { Preemption, PreemptionCandidate, PreemptOptions } from './preemption/preemption.ts'
export { parseLabelSelector } from './selectors/label-selector.ts'
export { type ClusterObjects, objectKey } from './state/cluster-objects.ts'
export type { EventTopic } from './framework/event-topic.ts'
export { eventTopics } from './requeue/event-topics.ts'
export { freedNode } from './requeue/freed-node.ts'
export { type Interests, interestsOf } from './requeue/interests.ts'
export { type NodeRoom, nodeRoom } from './requeue/node-room.ts'
export type { RoomClaimant, RoomDemand } from './framework/room-demand.ts'
export {
  unsupportedFeatures,
  unsupportedFeaturesHint,
  unsupportedFeaturesTopics,
} from './profile/unsupported-features.ts'
export { verdicts } from './decide/verdicts.ts'
export { readPodGroup } from './pod-groups/read-pod-group.ts'
export {
  groupFitMessage,
  groupHold,
  type GroupFacts,
  isGroupFeasible,
  isGroupInForce,
  isLiveMember,
  missingGroupResources,
  POD_GROUP_LABEL,
  podGroupKey,
  podGroupKeyOf,
  podGroupRefOf,
  unsupportedGroupMessage,
} from './pod-groups/group-rules.ts'
export { compareMembers, type GroupPlacement, placeGroup } from './pod-groups/place-group.ts'
