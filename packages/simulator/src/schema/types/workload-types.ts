/** Types of `apps/v1` and `batch/v1`, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const workloadTypes: string = `
@ io.k8s.api.apps.v1
Deployment object | Keeps a number of equal pods running and replaces them step by step when their template changes.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec DeploymentSpec #2 | What is wanted.
  status DeploymentStatus #3 | What is there.
DeploymentSpec
  minReadySeconds int32 #5 | Seconds that a pod must be ready to count as available.
  paused bool #7 | No new rollout while true.
  progressDeadlineSeconds int32 #9* | Seconds after which a rollout without progress counts as failed.
  replicas int32 #1* | Number of pods; 1 unless set.
  revisionHistoryLimit int32 #6* | Number of old ReplicaSets that are kept.
  selector LabelSelector! #2* | Labels of the pods that belong to the Deployment. Cannot be changed.
  strategy DeploymentStrategy #4 patch=retainKeys | How old pods are replaced.
  template PodTemplateSpec! #3 | What the pods look like.
DeploymentStrategy
  rollingUpdate RollingUpdateDeployment #2*
  type string #1
RollingUpdateDeployment
  maxSurge IntOrString #2*
  maxUnavailable IntOrString #1*
DeploymentStatus
  availableReplicas int32 #4
  collisionCount int32 #8*
  conditions []DeploymentCondition #6 map=type patch=merge:type
  observedGeneration int64 #1
  readyReplicas int32 #7
  replicas int32 #2
  terminatingReplicas int32 #9*
  unavailableReplicas int32 #5
  updatedReplicas int32 #3
DeploymentCondition
  lastTransitionTime Time #7
  lastUpdateTime Time #6
  message string #5
  reason string #4
  status string! #2
  type string! #1
ReplicaSet object | Keeps a number of equal pods running.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec ReplicaSetSpec #2
  status ReplicaSetStatus #3
ReplicaSetSpec
  minReadySeconds int32 #4
  replicas int32 #1*
  selector LabelSelector! #2*
  template PodTemplateSpec #3
ReplicaSetStatus
  availableReplicas int32 #5
  conditions []ReplicaSetCondition #6 map=type patch=merge:type
  fullyLabeledReplicas int32 #2
  observedGeneration int64 #3
  readyReplicas int32 #4
  replicas int32! #1
  terminatingReplicas int32 #7*
ReplicaSetCondition
  lastTransitionTime Time #3
  message string #5
  reason string #4
  status string! #2
  type string! #1
DaemonSet object | Keeps one pod on every node that fits.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec DaemonSetSpec #2
  status DaemonSetStatus #3
DaemonSetSpec
  minReadySeconds int32 #4
  revisionHistoryLimit int32 #6*
  selector LabelSelector! #1*
  template PodTemplateSpec! #2
  updateStrategy DaemonSetUpdateStrategy #3
DaemonSetUpdateStrategy
  rollingUpdate RollingUpdateDaemonSet #2*
  type string #1
RollingUpdateDaemonSet
  maxSurge IntOrString #2*
  maxUnavailable IntOrString #1*
DaemonSetStatus
  collisionCount int32 #9*
  conditions []DaemonSetCondition #10 map=type patch=merge:type
  currentNumberScheduled int32! #1
  desiredNumberScheduled int32! #3
  numberAvailable int32 #7
  numberMisscheduled int32! #2
  numberReady int32! #4
  numberUnavailable int32 #8
  observedGeneration int64 #5
  updatedNumberScheduled int32 #6
DaemonSetCondition
  lastTransitionTime Time #3
  message string #5
  reason string #4
  status string! #2
  type string! #1
StatefulSet object | Keeps pods with lasting names and volumes.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec StatefulSetSpec #2
  status StatefulSetStatus #3
StatefulSetSpec
  minReadySeconds int32 #9
  ordinals StatefulSetOrdinals #11*
  persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy #10*
  podManagementPolicy string #6
  replicas int32 #1*
  revisionHistoryLimit int32 #8*
  selector LabelSelector! #2*
  serviceName string #5
  template PodTemplateSpec! #3
  updateStrategy StatefulSetUpdateStrategy #7
  volumeClaimTemplates []PersistentVolumeClaim #4
StatefulSetOrdinals
  start int32 #1
StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted string #1
  whenScaled string #2
StatefulSetUpdateStrategy
  rollingUpdate RollingUpdateStatefulSetStrategy #2*
  type string #1
RollingUpdateStatefulSetStrategy
  maxUnavailable IntOrString #2*
  partition int32 #1*
StatefulSetStatus
  availableReplicas int32 #11
  collisionCount int32 #9*
  conditions []StatefulSetCondition #10 map=type patch=merge:type
  currentReplicas int32 #4
  currentRevision string #6
  observedGeneration int64 #1
  readyReplicas int32 #3
  replicas int32! #2
  updateRevision string #7
  updatedReplicas int32 #5
StatefulSetCondition
  lastTransitionTime Time #3
  message string #5
  reason string #4
  status string! #2
  type string! #1
ControllerRevision object | A template that a DaemonSet or StatefulSet has had.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  data any #2 | What is remembered.
  revision int64! #3 | Grows with every change.
@ io.k8s.api.batch.v1
Job object | Runs pods until enough of them succeeded.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec JobSpec #2
  status JobStatus #3
JobSpec
  activeDeadlineSeconds int64 #3*
  backoffLimit int32 #7*
  backoffLimitPerIndex int32 #12*
  completionMode string #9*
  completions int32 #2*
  managedBy string #15*
  manualSelector bool #5*
  maxFailedIndexes int32 #13*
  parallelism int32 #1*
  podFailurePolicy PodFailurePolicy #11*
  podReplacementPolicy string #14*
  selector LabelSelector #4*
  successPolicy SuccessPolicy #16*
  suspend bool #10*
  template PodTemplateSpec! #6
  ttlSecondsAfterFinished int32 #8*
PodFailurePolicy
  rules []PodFailurePolicyRule! #1
PodFailurePolicyRule
  action string! #1
  onExitCodes PodFailurePolicyOnExitCodesRequirement #2*
  onPodConditions []PodFailurePolicyOnPodConditionsPattern #3
PodFailurePolicyOnExitCodesRequirement
  containerName string #1*
  operator string! #2
  values []int32! #3 set
PodFailurePolicyOnPodConditionsPattern
  status string #2
  type string! #1
SuccessPolicy
  rules []SuccessPolicyRule! #1
SuccessPolicyRule
  succeededCount int32 #2*
  succeededIndexes string #1*
JobStatus
  active int32 #4
  completedIndexes string #7
  completionTime Time #3*
  conditions []JobCondition #1 patch=merge:type
  failed int32 #6
  failedIndexes string #10*
  ready int32 #9*
  startTime Time #2*
  succeeded int32 #5
  terminating int32 #11*
  uncountedTerminatedPods UncountedTerminatedPods #8*
JobCondition
  lastProbeTime Time #3
  lastTransitionTime Time #4
  message string #6
  reason string #5
  status string! #2
  type string! #1
UncountedTerminatedPods
  failed []string #2 set
  succeeded []string #1 set
CronJob object | Makes Jobs at set times.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec CronJobSpec! #2
  status CronJobStatus #3
CronJobSpec
  concurrencyPolicy string #3
  failedJobsHistoryLimit int32 #7*
  jobTemplate JobTemplateSpec! #5
  schedule string! #1
  startingDeadlineSeconds int64 #2*
  successfulJobsHistoryLimit int32 #6*
  suspend bool #4*
  timeZone string #8*
JobTemplateSpec
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec JobSpec #2
CronJobStatus
  active []ObjectReference #1
  lastScheduleTime Time #4*
  lastSuccessfulTime Time #5*
`
