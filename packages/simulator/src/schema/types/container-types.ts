/** Types of containers, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const containerTypes: string = `
@ io.k8s.api.core.v1
Container
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
  terminationMessagePath string
  terminationMessagePolicy string
  tty bool
  volumeDevices []VolumeDevice map=devicePath patch=merge:devicePath
  volumeMounts []VolumeMount map=mountPath patch=merge:mountPath
  workingDir string
EnvVar
  name string!
  value string
  valueFrom EnvVarSource
EnvVarSource
  configMapKeyRef ConfigMapKeySelector
  fieldRef ObjectFieldSelector
  fileKeyRef FileKeySelector
  resourceFieldRef ResourceFieldSelector
  secretKeyRef SecretKeySelector
ConfigMapKeySelector atomic
  key string!
  name string
  optional bool
ObjectFieldSelector atomic
  apiVersion string
  fieldPath string!
FileKeySelector atomic
  key string!
  optional bool
  path string!
  volumeName string!
ResourceFieldSelector atomic
  containerName string
  divisor Quantity
  resource string!
SecretKeySelector atomic
  key string!
  name string
  optional bool
EnvFromSource
  configMapRef ConfigMapEnvSource
  prefix string
  secretRef SecretEnvSource
ConfigMapEnvSource
  name string
  optional bool
SecretEnvSource
  name string
  optional bool
Lifecycle
  postStart LifecycleHandler
  preStop LifecycleHandler
  stopSignal string
LifecycleHandler
  exec ExecAction
  httpGet HTTPGetAction
  sleep SleepAction
  tcpSocket TCPSocketAction
ExecAction
  command []string
HTTPGetAction
  host string
  httpHeaders []HTTPHeader
  path string
  port IntOrString!
  scheme string
HTTPHeader
  name string!
  value string!
SleepAction
  seconds int64!
TCPSocketAction
  host string
  port IntOrString!
Probe
  exec ExecAction
  failureThreshold int32
  grpc GRPCAction
  httpGet HTTPGetAction
  initialDelaySeconds int32
  periodSeconds int32
  successThreshold int32
  tcpSocket TCPSocketAction
  terminationGracePeriodSeconds int64
  timeoutSeconds int32
GRPCAction
  port int32!
  service string
ContainerPort
  containerPort int32!
  hostIP string
  hostPort int32
  name string
  protocol string
ContainerResizePolicy
  resourceName string!
  restartPolicy string!
ResourceRequirements
  claims []ResourceClaim map=name
  limits {}Quantity
  requests {}Quantity
ResourceClaim
  name string!
  request string
ContainerRestartRule
  action string!
  exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
  operator string!
  values []int32 set
SecurityContext
  allowPrivilegeEscalation bool
  appArmorProfile AppArmorProfile
  capabilities Capabilities
  privileged bool
  procMount string
  readOnlyRootFilesystem bool
  runAsGroup int64
  runAsNonRoot bool
  runAsUser int64
  seLinuxOptions SELinuxOptions
  seccompProfile SeccompProfile
  windowsOptions WindowsSecurityContextOptions
AppArmorProfile
  localhostProfile string
  type string!
Capabilities
  add []string
  drop []string
SELinuxOptions
  level string
  role string
  type string
  user string
SeccompProfile
  localhostProfile string
  type string!
WindowsSecurityContextOptions
  gmsaCredentialSpec string
  gmsaCredentialSpecName string
  hostProcess bool
  runAsUserName string
VolumeDevice
  devicePath string!
  name string!
VolumeMount
  mountPath string!
  mountPropagation string
  name string!
  readOnly bool
  recursiveReadOnly string
  subPath string
  subPathExpr string
`
