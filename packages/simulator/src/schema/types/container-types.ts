/** Types of containers, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const containerTypes: string = `
@ io.k8s.api.core.v1
Container | One container of a pod.
  args []string #4 | Arguments of the command; those of the image unless set.
  command []string #3 | What to run; the entry point of the image unless set.
  env []EnvVar #7 map=name patch=merge:name | Environment variables.
  envFrom []EnvFromSource #19 | Config maps and secrets whose every key becomes an environment variable.
  image string #2 | Image to run.
  imagePullPolicy string #14 | When the image is pulled: Always, IfNotPresent or Never.
  lifecycle Lifecycle #12* | What to run right after the start and before the end.
  livenessProbe Probe #10* | Restarts the container when it fails.
  name string! #1 | Name of the container, unique within the pod.
  ports []ContainerPort #6 map=containerPort,protocol patch=merge:containerPort | Ports that the container listens on.
  readinessProbe Probe #11* | Takes the container out of service while it fails.
  resizePolicy []ContainerResizePolicy #23 | Whether a change of resources restarts the container.
  resources ResourceRequirements #8 | How much of each resource the container asks for and may use.
  restartPolicy string #24* | Always makes an init container a sidecar that keeps running.
  restartPolicyRules []ContainerRestartRule #25
  securityContext SecurityContext #15* | Security settings of this container.
  startupProbe Probe #22* | Holds back the other probes until it succeeds.
  stdin bool #16
  stdinOnce bool #17
  terminationMessagePath string #13
  terminationMessagePolicy string #20
  tty bool #18
  volumeDevices []VolumeDevice #21 map=devicePath patch=merge:devicePath
  volumeMounts []VolumeMount #9 map=mountPath patch=merge:mountPath | Where volumes appear in the container.
  workingDir string #5 | Directory to start in.
EnvVar
  name string! #1
  value string #2
  valueFrom EnvVarSource #3*
EnvVarSource
  configMapKeyRef ConfigMapKeySelector #3*
  fieldRef ObjectFieldSelector #1*
  fileKeyRef FileKeySelector #5*
  resourceFieldRef ResourceFieldSelector #2*
  secretKeyRef SecretKeySelector #4*
ConfigMapKeySelector atomic
  key string! #2
  name string #1.1
  optional bool #3*
ObjectFieldSelector atomic
  apiVersion string #1
  fieldPath string! #2
FileKeySelector atomic
  key string! #3
  optional bool #4*
  path string! #2
  volumeName string! #1
ResourceFieldSelector atomic
  containerName string #1
  divisor Quantity #3
  resource string! #2
SecretKeySelector atomic
  key string! #2
  name string #1.1
  optional bool #3*
EnvFromSource
  configMapRef ConfigMapEnvSource #2*
  prefix string #1
  secretRef SecretEnvSource #3*
ConfigMapEnvSource
  name string #1.1
  optional bool #2*
SecretEnvSource
  name string #1.1
  optional bool #2*
Lifecycle
  postStart LifecycleHandler #1*
  preStop LifecycleHandler #2*
  stopSignal string #3*
LifecycleHandler
  exec ExecAction #1*
  httpGet HTTPGetAction #2*
  sleep SleepAction #4*
  tcpSocket TCPSocketAction #3*
ExecAction
  command []string #1
HTTPGetAction
  host string #3
  httpHeaders []HTTPHeader #5
  path string #1
  port IntOrString! #2
  scheme string #4
HTTPHeader
  name string! #1
  value string! #2
SleepAction
  seconds int64! #1
TCPSocketAction
  host string #2
  port IntOrString! #1
Probe
  exec ExecAction #1.1*
  failureThreshold int32 #6
  grpc GRPCAction #1.4*
  httpGet HTTPGetAction #1.2*
  initialDelaySeconds int32 #2
  periodSeconds int32 #4
  successThreshold int32 #5
  tcpSocket TCPSocketAction #1.3*
  terminationGracePeriodSeconds int64 #7*
  timeoutSeconds int32 #3
GRPCAction
  port int32! #1
  service string #2*
ContainerPort
  containerPort int32! #3
  hostIP string #5
  hostPort int32 #2
  name string #1
  protocol string #4
ContainerResizePolicy
  resourceName string! #1
  restartPolicy string! #2
ResourceRequirements | Amounts of resources: what is set aside, and what must not be exceeded.
  claims []ResourceClaim #3 map=name | Claims of the pod (resourceClaims) that this container uses.
  limits {}Quantity #1 | Most that may be used. Of an extended resource: how many units; the request must be the same.
  requests {}Quantity #2 | What a node must have free for the pod to fit. Equals the limit where only that is given.
ResourceClaim
  name string! #1
  request string #2
ContainerRestartRule
  action string! #1
  exitCodes ContainerRestartRuleOnExitCodes #2*
ContainerRestartRuleOnExitCodes
  operator string! #1
  values []int32 #2 set
SecurityContext
  allowPrivilegeEscalation bool #7*
  appArmorProfile AppArmorProfile #12*
  capabilities Capabilities #1*
  privileged bool #2*
  procMount string #9*
  readOnlyRootFilesystem bool #6*
  runAsGroup int64 #8*
  runAsNonRoot bool #5*
  runAsUser int64 #4*
  seLinuxOptions SELinuxOptions #3*
  seccompProfile SeccompProfile #11*
  windowsOptions WindowsSecurityContextOptions #10*
AppArmorProfile
  localhostProfile string #2*
  type string! #1
Capabilities
  add []string #1
  drop []string #2
SELinuxOptions
  level string #4
  role string #2
  type string #3
  user string #1
SeccompProfile
  localhostProfile string #2*
  type string! #1
WindowsSecurityContextOptions
  gmsaCredentialSpec string #2*
  gmsaCredentialSpecName string #1*
  hostProcess bool #4*
  runAsUserName string #3*
VolumeDevice
  devicePath string! #2
  name string! #1
VolumeMount
  mountPath string! #3
  mountPropagation string #5*
  name string! #1
  readOnly bool #2
  recursiveReadOnly string #7*
  subPath string #4
  subPathExpr string #6
`
