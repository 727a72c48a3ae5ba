/** Types of pods as they are asked for, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const podTypes: string = `
@ io.k8s.api.core.v1
Pod object | Containers that run together on one node and share its network address.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PodSpec #2 | What the pod should be.
  status PodStatus #3 | What was last seen of the pod. Read-only for users.
PodSpec | What a pod should be: its containers, and where and how they may run.
  activeDeadlineSeconds int64 #5* | Seconds after its start at which the pod is ended as failed.
  affinity Affinity #18* | Rules that draw the pod to nodes or other pods, or keep it away from pods.
  automountServiceAccountToken bool #21* | Whether containers get a token of the service account.
  containers []Container! #2 map=name patch=merge:name | The containers of the pod; at least one. Only images can be changed later.
  dnsConfig PodDNSConfig #26* | DNS settings on top of those that dnsPolicy gives.
  dnsPolicy string #6 | Where names are looked up: ClusterFirst, ClusterFirstWithHostNet, Default or None.
  enableServiceLinks bool #30* | Whether containers get the addresses of services as environment variables.
  ephemeralContainers []EphemeralContainer #34 map=name patch=merge:name | Containers added to a running pod for looking into it.
  hostAliases []HostAlias #23 map=ip patch=merge:ip | Further lines for /etc/hosts.
  hostIPC bool #13 | Use the node's IPC namespace.
  hostNetwork bool #11 | Use the node's network; ports of containers are then ports of the node.
  hostPID bool #12 | Use the node's process namespace.
  hostUsers bool #37* | Use the node's user namespace.
  hostname string #16 | Host name inside the pod; its name unless set.
  hostnameOverride string #41*
  imagePullSecrets []LocalObjectReference #15 map=name patch=merge:name | Secrets in the same namespace with which images are pulled.
  initContainers []Container #20 map=name patch=merge:name | Containers that run one after another before the others start.
  nodeName string #10 | The node that the pod is bound to; empty until a scheduler has chosen.
  nodeSelector {}string #7 atomic | Labels that a node must have for the pod to fit.
  os PodOS #36* | The operating system that the containers are made for.
  overhead {}Quantity #32 | What running the pod costs beside its containers; a runtime class sets it.
  preemptionPolicy string #31* | Whether the pod may push out pods of lower priority: PreemptLowerPriority or Never.
  priority int32 #25* | The number behind the priority class; higher goes first.
  priorityClassName string #24 | Name of the priority class.
  readinessGates []PodReadinessGate #28 | Conditions beside the containers' own that must be True for the pod to be ready.
  resourceClaims []PodResourceClaim #39 map=name patch=merge,retainKeys:name | Claims for devices that must be allocated before the pod may start (DRA).
  resources ResourceRequirements #40* | What the pod as a whole asks for: cpu, memory and huge pages only.
  restartPolicy string #3 | When ended containers are started again: Always, OnFailure or Never.
  runtimeClassName string #29* | The runtime class that runs the pod.
  schedulerName string #19 | The scheduler that is to choose a node.
  schedulingGates []PodSchedulingGate #38 map=name patch=merge:name | While any is left, no scheduler looks at the pod.
  schedulingGroup PodSchedulingGroup #43*
  securityContext PodSecurityContext #14* | Security settings for all containers.
  serviceAccount string #9
  serviceAccountName string #8 | The service account that the pod runs as.
  setHostnameAsFQDN bool #35*
  shareProcessNamespace bool #27* | Let containers see each other's processes.
  subdomain string #17
  terminationGracePeriodSeconds int64 #4* | Seconds that the pod gets to end by itself when it is deleted.
  tolerations []Toleration #22 | Taints that the pod puts up with.
  topologySpreadConstraints []TopologySpreadConstraint #33 map=topologyKey,whenUnsatisfiable patch=merge:topologyKey | How evenly pods like this one must lie over zones, nodes or other domains.
  volumes []Volume #1 map=name patch=merge,retainKeys:name | Volumes that containers can mount.
Affinity
  nodeAffinity NodeAffinity #1*
  podAffinity PodAffinity #2*
  podAntiAffinity PodAntiAffinity #3*
NodeAffinity
  preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm #2
  requiredDuringSchedulingIgnoredDuringExecution NodeSelector #1*
PreferredSchedulingTerm
  preference NodeSelectorTerm! #2
  weight int32! #1
NodeSelectorTerm atomic
  matchExpressions []NodeSelectorRequirement #1
  matchFields []NodeSelectorRequirement #2
NodeSelectorRequirement
  key string! #1
  operator string! #2
  values []string #3
NodeSelector atomic
  nodeSelectorTerms []NodeSelectorTerm! #1
PodAffinity
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm #2
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm #1
WeightedPodAffinityTerm
  podAffinityTerm PodAffinityTerm! #2
  weight int32! #1
PodAffinityTerm
  labelSelector LabelSelector #1*
  matchLabelKeys []string #5
  mismatchLabelKeys []string #6
  namespaceSelector LabelSelector #4*
  namespaces []string #2
  topologyKey string! #3
PodAntiAffinity
  preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm #2
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm #1
PodDNSConfig
  nameservers []string #1
  options []PodDNSConfigOption #3
  searches []string #2
PodDNSConfigOption
  name string #1
  value string #2*
EphemeralContainer
  args []string #1.4
  command []string #1.3
  env []EnvVar #1.7 map=name patch=merge:name
  envFrom []EnvFromSource #1.19
  image string #1.2
  imagePullPolicy string #1.14
  lifecycle Lifecycle #1.12*
  livenessProbe Probe #1.10*
  name string! #1.1
  ports []ContainerPort #1.6 map=containerPort,protocol patch=merge:containerPort
  readinessProbe Probe #1.11*
  resizePolicy []ContainerResizePolicy #1.23
  resources ResourceRequirements #1.8
  restartPolicy string #1.24*
  restartPolicyRules []ContainerRestartRule #1.25
  securityContext SecurityContext #1.15*
  startupProbe Probe #1.22*
  stdin bool #1.16
  stdinOnce bool #1.17
  targetContainerName string #2
  terminationMessagePath string #1.13
  terminationMessagePolicy string #1.20
  tty bool #1.18
  volumeDevices []VolumeDevice #1.21 map=devicePath patch=merge:devicePath
  volumeMounts []VolumeMount #1.9 map=mountPath patch=merge:mountPath
  workingDir string #1.5
HostAlias
  hostnames []string #2
  ip string! #1
LocalObjectReference atomic
  name string #1
PodOS
  name string! #1
PodReadinessGate
  conditionType string! #1
PodResourceClaim
  name string! #1
  resourceClaimName string #3*
  resourceClaimTemplateName string #4*
PodSchedulingGate
  name string! #1
PodSchedulingGroup
  podGroupName string #1*
PodSecurityContext
  appArmorProfile AppArmorProfile #11*
  fsGroup int64 #5*
  fsGroupChangePolicy string #9*
  runAsGroup int64 #6*
  runAsNonRoot bool #3*
  runAsUser int64 #2*
  seLinuxChangePolicy string #13*
  seLinuxOptions SELinuxOptions #1*
  seccompProfile SeccompProfile #10*
  supplementalGroups []int64 #4
  supplementalGroupsPolicy string #12*
  sysctls []Sysctl #7
  windowsOptions WindowsSecurityContextOptions #8*
Sysctl
  name string! #1
  value string! #2
Toleration | Lets a pod stand a taint.
  effect string #4 | NoSchedule, PreferNoSchedule or NoExecute; every one when empty.
  key string #1 | Key of the taint; every one when empty.
  operator string #2 | Exists, Equal (the default), Lt or Gt.
  tolerationSeconds int64 #5* | How long a NoExecute taint is tolerated; for ever unless set.
  value string #3 | Value that the taint must have when the operator is Equal.
TopologySpreadConstraint
  labelSelector LabelSelector #4*
  matchLabelKeys []string #8
  maxSkew int32! #1
  minDomains int32 #5*
  nodeAffinityPolicy string #6*
  nodeTaintsPolicy string #7*
  topologyKey string! #2
  whenUnsatisfiable string! #3
PodTemplateSpec
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PodSpec #2
`
