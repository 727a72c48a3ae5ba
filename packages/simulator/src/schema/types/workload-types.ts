/** Types of `apps/v1` and `batch/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const workloadTypes: string = `
@ io.k8s.api.apps.v1
Deployment object
  metadata ObjectMeta
  spec DeploymentSpec
  status DeploymentStatus
DeploymentSpec
  minReadySeconds int32
  paused bool
  progressDeadlineSeconds int32
  replicas int32
  revisionHistoryLimit int32
  selector LabelSelector!
  strategy DeploymentStrategy patch=retainKeys
  template PodTemplateSpec!
DeploymentStrategy
  rollingUpdate RollingUpdateDeployment
  type string
RollingUpdateDeployment
  maxSurge IntOrString
  maxUnavailable IntOrString
DeploymentStatus
  availableReplicas int32
  collisionCount int32
  conditions []DeploymentCondition map=type patch=merge:type
  observedGeneration int64
  readyReplicas int32
  replicas int32
  terminatingReplicas int32
  unavailableReplicas int32
  updatedReplicas int32
DeploymentCondition
  lastTransitionTime Time
  lastUpdateTime Time
  message string
  reason string
  status string!
  type string!
ReplicaSet object
  metadata ObjectMeta
  spec ReplicaSetSpec
  status ReplicaSetStatus
ReplicaSetSpec
  minReadySeconds int32
  replicas int32
  selector LabelSelector!
  template PodTemplateSpec
ReplicaSetStatus
  availableReplicas int32
  conditions []ReplicaSetCondition map=type patch=merge:type
  fullyLabeledReplicas int32
  observedGeneration int64
  readyReplicas int32
  replicas int32!
  terminatingReplicas int32
ReplicaSetCondition
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
DaemonSet object
  metadata ObjectMeta
  spec DaemonSetSpec
  status DaemonSetStatus
DaemonSetSpec
  minReadySeconds int32
  revisionHistoryLimit int32
  selector LabelSelector!
  template PodTemplateSpec!
  updateStrategy DaemonSetUpdateStrategy
DaemonSetUpdateStrategy
  rollingUpdate RollingUpdateDaemonSet
  type string
RollingUpdateDaemonSet
  maxSurge IntOrString
  maxUnavailable IntOrString
DaemonSetStatus
  collisionCount int32
  conditions []DaemonSetCondition map=type patch=merge:type
  currentNumberScheduled int32!
  desiredNumberScheduled int32!
  numberAvailable int32
  numberMisscheduled int32!
  numberReady int32!
  numberUnavailable int32
  observedGeneration int64
  updatedNumberScheduled int32
DaemonSetCondition
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
StatefulSet object
  metadata ObjectMeta
  spec StatefulSetSpec
  status StatefulSetStatus
StatefulSetSpec
  minReadySeconds int32
  ordinals StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy
  podManagementPolicy string
  replicas int32
  revisionHistoryLimit int32
  selector LabelSelector!
  serviceName string
  template PodTemplateSpec!
  updateStrategy StatefulSetUpdateStrategy
  volumeClaimTemplates []PersistentVolumeClaim
StatefulSetOrdinals
  start int32
StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted string
  whenScaled string
StatefulSetUpdateStrategy
  rollingUpdate RollingUpdateStatefulSetStrategy
  type string
RollingUpdateStatefulSetStrategy
  maxUnavailable IntOrString
  partition int32
StatefulSetStatus
  availableReplicas int32
  collisionCount int32
  conditions []StatefulSetCondition map=type patch=merge:type
  currentReplicas int32
  currentRevision string
  observedGeneration int64
  readyReplicas int32
  replicas int32!
  updateRevision string
  updatedReplicas int32
StatefulSetCondition
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
@ io.k8s.api.batch.v1
Job object
  metadata ObjectMeta
  spec JobSpec
  status JobStatus
JobSpec
  activeDeadlineSeconds int64
  backoffLimit int32
  backoffLimitPerIndex int32
  completionMode string
  completions int32
  managedBy string
  manualSelector bool
  maxFailedIndexes int32
  parallelism int32
  podFailurePolicy PodFailurePolicy
  podReplacementPolicy string
  selector LabelSelector
  successPolicy SuccessPolicy
  suspend bool
  template PodTemplateSpec!
  ttlSecondsAfterFinished int32
PodFailurePolicy
  rules []PodFailurePolicyRule!
PodFailurePolicyRule
  action string!
  onExitCodes PodFailurePolicyOnExitCodesRequirement
  onPodConditions []PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement
  containerName string
  operator string!
  values []int32! set
PodFailurePolicyOnPodConditionsPattern
  status string
  type string!
SuccessPolicy
  rules []SuccessPolicyRule!
SuccessPolicyRule
  succeededCount int32
  succeededIndexes string
JobStatus
  active int32
  completedIndexes string
  completionTime Time
  conditions []JobCondition patch=merge:type
  failed int32
  failedIndexes string
  ready int32
  startTime Time
  succeeded int32
  terminating int32
  uncountedTerminatedPods UncountedTerminatedPods
JobCondition
  lastProbeTime Time
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
UncountedTerminatedPods
  failed []string set
  succeeded []string set
CronJob object
  metadata ObjectMeta
  spec CronJobSpec!
  status CronJobStatus
CronJobSpec
  concurrencyPolicy string
  failedJobsHistoryLimit int32
  jobTemplate JobTemplateSpec!
  schedule string!
  startingDeadlineSeconds int64
  successfulJobsHistoryLimit int32
  suspend bool
  timeZone string
JobTemplateSpec
  metadata ObjectMeta
  spec JobSpec
CronJobStatus
  active []ObjectReference
  lastScheduleTime Time
  lastSuccessfulTime Time
`
