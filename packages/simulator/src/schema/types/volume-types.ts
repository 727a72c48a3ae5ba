/** Types of volumes, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const volumeTypes: string = `
@ io.k8s.api.core.v1
Volume
  awsElasticBlockStore any
  azureDisk any
  azureFile any
  cephfs any
  cinder any
  configMap ConfigMapVolumeSource
  csi CSIVolumeSource
  downwardAPI DownwardAPIVolumeSource
  emptyDir EmptyDirVolumeSource
  ephemeral EphemeralVolumeSource
  fc any
  flexVolume any
  flocker any
  gcePersistentDisk any
  gitRepo any
  glusterfs any
  hostPath HostPathVolumeSource
  image ImageVolumeSource
  iscsi any
  name string!
  nfs NFSVolumeSource
  persistentVolumeClaim PersistentVolumeClaimVolumeSource
  photonPersistentDisk any
  portworxVolume any
  projected ProjectedVolumeSource
  quobyte any
  rbd any
  scaleIO any
  secret SecretVolumeSource
  storageos any
  vsphereVolume any
ConfigMapVolumeSource
  defaultMode int32
  items []KeyToPath
  name string
  optional bool
KeyToPath
  key string!
  mode int32
  path string!
CSIVolumeSource
  driver string!
  fsType string
  nodePublishSecretRef LocalObjectReference
  readOnly bool
  volumeAttributes {}string
DownwardAPIVolumeSource
  defaultMode int32
  items []DownwardAPIVolumeFile
DownwardAPIVolumeFile
  fieldRef ObjectFieldSelector
  mode int32
  path string!
  resourceFieldRef ResourceFieldSelector
EmptyDirVolumeSource
  medium string
  sizeLimit Quantity
EphemeralVolumeSource
  volumeClaimTemplate PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate
  metadata ObjectMeta
  spec PersistentVolumeClaimSpec!
PersistentVolumeClaimSpec
  accessModes []string
  dataSource TypedLocalObjectReference
  dataSourceRef TypedObjectReference
  resources VolumeResourceRequirements
  selector LabelSelector
  storageClassName string
  volumeAttributesClassName string
  volumeMode string
  volumeName string
TypedLocalObjectReference atomic
  apiGroup string
  kind string!
  name string!
TypedObjectReference
  apiGroup string
  kind string!
  name string!
  namespace string
VolumeResourceRequirements
  limits {}Quantity
  requests {}Quantity
HostPathVolumeSource
  path string!
  type string
ImageVolumeSource
  pullPolicy string
  reference string
NFSVolumeSource
  path string!
  readOnly bool
  server string!
PersistentVolumeClaimVolumeSource
  claimName string!
  readOnly bool
ProjectedVolumeSource
  defaultMode int32
  sources []VolumeProjection
VolumeProjection
  clusterTrustBundle any
  configMap ConfigMapProjection
  downwardAPI DownwardAPIProjection
  podCertificate any
  secret SecretProjection
  serviceAccountToken ServiceAccountTokenProjection
ConfigMapProjection
  items []KeyToPath
  name string
  optional bool
DownwardAPIProjection
  items []DownwardAPIVolumeFile
SecretProjection
  items []KeyToPath
  name string
  optional bool
ServiceAccountTokenProjection
  audience string
  expirationSeconds int64
  path string!
SecretVolumeSource
  defaultMode int32
  items []KeyToPath
  optional bool
  secretName string
PersistentVolume object
  metadata ObjectMeta
  spec PersistentVolumeSpec
  status PersistentVolumeStatus
PersistentVolumeSpec
  accessModes []string
  awsElasticBlockStore any
  azureDisk any
  azureFile any
  capacity {}Quantity
  cephfs any
  cinder any
  claimRef ObjectReference
  csi any
  fc any
  flexVolume any
  flocker any
  gcePersistentDisk any
  glusterfs any
  hostPath HostPathVolumeSource
  iscsi any
  local LocalVolumeSource
  mountOptions []string
  nfs NFSVolumeSource
  nodeAffinity VolumeNodeAffinity
  persistentVolumeReclaimPolicy string
  photonPersistentDisk any
  portworxVolume any
  quobyte any
  rbd any
  scaleIO any
  storageClassName string
  storageos any
  volumeAttributesClassName string
  volumeMode string
  vsphereVolume any
VolumeNodeAffinity
  required NodeSelector
PersistentVolumeStatus
  lastPhaseTransitionTime Time
  message string
  phase string
  reason string
PersistentVolumeClaim object
  metadata ObjectMeta
  spec PersistentVolumeClaimSpec
  status PersistentVolumeClaimStatus
PersistentVolumeClaimStatus
  accessModes []string
  allocatedResourceStatuses {}string
  allocatedResources {}Quantity
  capacity {}Quantity
  conditions []PersistentVolumeClaimCondition map=type patch=merge:type
  currentVolumeAttributesClassName string
  modifyVolumeStatus ModifyVolumeStatus
  phase string
PersistentVolumeClaimCondition
  lastProbeTime Time
  lastTransitionTime Time
  message string
  reason string
  status string!
  type string!
`
