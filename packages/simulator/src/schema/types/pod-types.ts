/** Types of pods as they are asked for, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const podTypes: string = `
@ io.k8s.api.core.v1
Pod object
  metadata ObjectMeta
  spec PodSpec
  status PodStatus
PodSpec
  activeDeadlineSeconds int64
  affinity Affinity
  automountServiceAccountToken bool
  containers []Container! map=name patch=merge:name
  dnsConfig PodDNSConfig
  dnsPolicy string
  enableServiceLinks bool
  ephemeralContainers []EphemeralContainer map=name patch=merge:name
  hostAliases []HostAlias map=ip patch=merge:ip
  hostIPC bool
  hostNetwork bool
  hostPID bool
  hostUsers bool
  hostname string
  hostnameOverride string
  imagePullSecrets []LocalObjectReference map=name patch=merge:name
  initContainers []Container map=name patch=merge:name
  nodeName string
  nodeSelector {}string atomic
  os PodOS
  overhead {}Quantity
  preemptionPolicy string
  priority int32
  priorityClassName string
  readinessGates []PodReadinessGate
  resourceClaims []PodResourceClaim map=name patch=merge,retainKeys:name
  resources ResourceRequirements
  restartPolicy string
  runtimeClassName string
  schedulerName string
  schedulingGates []PodSchedulingGate map=name patch=merge:name
  schedulingGroup PodSchedulingGroup
  securityContext PodSecurityContext
  serviceAccount string
  serviceAccountName string
  setHostnameAsFQDN bool
  shareProcessNamespace bool
  subdomain string
  terminationGracePeriodSeconds int64
  tolerations []Toleration
  topologySpreadConstraints []TopologySpreadConstraint map=topologyKey,whenUnsatisfiable patch=merge:topologyKey
  volumes []Volume map=name patch=merge,retainKeys:name
Affinity
  nodeAffinity NodeAffinity
  podAffinity PodAffinity
  podAntiAffinity PodAntiAffinity
NodeAffinity
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution NodeSelector
PreferredSchedulingTerm
  preference NodeSelectorTerm!
  weight int32!
NodeSelectorTerm atomic
  matchExpressions []NodeSelectorRequirement
  matchFields []NodeSelectorRequirement
NodeSelectorRequirement
  key string!
  operator string!
  values []string
NodeSelector atomic
  nodeSelectorTerms []NodeSelectorTerm!
PodAffinity
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
WeightedPodAffinityTerm
  podAffinityTerm PodAffinityTerm!
  weight int32!
PodAffinityTerm
  labelSelector LabelSelector
  matchLabelKeys []string
  mismatchLabelKeys []string
  namespaceSelector LabelSelector
  namespaces []string
  topologyKey string!
PodAntiAffinity
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
PodDNSConfig
  nameservers []string
  options []PodDNSConfigOption
  searches []string
PodDNSConfigOption
  name string
  value string
EphemeralContainer
  args []string
  command []string
  env []EnvVar map=name patch=merge:name
  envFrom []EnvFromSource
  image string
  imagePullPolicy string
  lifecycle Lifecycle
  livenessProbe Probe
  name string!
  ports []ContainerPort map=containerPort,protocol patch=merge:containerPort
  readinessProbe Probe
  resizePolicy []ContainerResizePolicy
  resources ResourceRequirements
  restartPolicy string
  restartPolicyRules []ContainerRestartRule
  securityContext SecurityContext
  startupProbe Probe
  stdin bool
  stdinOnce bool
  targetContainerName string
  terminationMessagePath string
  terminationMessagePolicy string
  tty bool
  volumeDevices []VolumeDevice map=devicePath patch=merge:devicePath
  volumeMounts []VolumeMount map=mountPath patch=merge:mountPath
  workingDir string
HostAlias
  hostnames []string
  ip string!
LocalObjectReference atomic
  name string
PodOS
  name string!
PodReadinessGate
  conditionType string!
PodResourceClaim
  name string!
  resourceClaimName string
  resourceClaimTemplateName string
PodSchedulingGate
  name string!
PodSchedulingGroup
  podGroupName string
PodSecurityContext
  appArmorProfile AppArmorProfile
  fsGroup int64
  fsGroupChangePolicy string
  runAsGroup int64
  runAsNonRoot bool
  runAsUser int64
  seLinuxChangePolicy string
  seLinuxOptions SELinuxOptions
  seccompProfile SeccompProfile
  supplementalGroups []int64
  supplementalGroupsPolicy string
  sysctls []Sysctl
  windowsOptions WindowsSecurityContextOptions
Sysctl
  name string!
  value string!
Toleration
  effect string
  key string
  operator string
  tolerationSeconds int64
  value string
TopologySpreadConstraint
  labelSelector LabelSelector
  matchLabelKeys []string
  maxSkew int32!
  minDomains int32
  nodeAffinityPolicy string
  nodeTaintsPolicy string
  topologyKey string!
  whenUnsatisfiable string!
PodTemplateSpec
  metadata ObjectMeta
  spec PodSpec
`
