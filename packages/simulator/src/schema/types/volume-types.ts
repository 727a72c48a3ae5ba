/** Types of volumes, in the notation that `parseTypes` reads. Facts are those of Kubernetes v1.36. */
export const volumeTypes: string = `
@ io.k8s.api.core.v1
Volume
  awsElasticBlockStore any #2.4*
  azureDisk any #2.22*
  azureFile any #2.18*
  cephfs any #2.14*
  cinder any #2.13*
  configMap ConfigMapVolumeSource #2.19*
  csi CSIVolumeSource #2.28*
  downwardAPI DownwardAPIVolumeSource #2.16*
  emptyDir EmptyDirVolumeSource #2.2*
  ephemeral EphemeralVolumeSource #2.29*
  fc any #2.17*
  flexVolume any #2.12*
  flocker any #2.15*
  gcePersistentDisk any #2.3*
  gitRepo any #2.5*
  glusterfs any #2.9*
  hostPath HostPathVolumeSource #2.1*
  image ImageVolumeSource #2.30*
  iscsi any #2.8*
  name string! #1
  nfs NFSVolumeSource #2.7*
  persistentVolumeClaim PersistentVolumeClaimVolumeSource #2.10*
  photonPersistentDisk any #2.23*
  portworxVolume any #2.24*
  projected ProjectedVolumeSource #2.26*
  quobyte any #2.21*
  rbd any #2.11*
  scaleIO any #2.25*
  secret SecretVolumeSource #2.6*
  storageos any #2.27*
  vsphereVolume any #2.20*
ConfigMapVolumeSource
  defaultMode int32 #3*
  items []KeyToPath #2
  name string #1.1
  optional bool #4*
KeyToPath
  key string! #1
  mode int32 #3*
  path string! #2
CSIVolumeSource
  driver string! #1
  fsType string #3*
  nodePublishSecretRef LocalObjectReference #5*
  readOnly bool #2*
  volumeAttributes {}string #4
DownwardAPIVolumeSource
  defaultMode int32 #2*
  items []DownwardAPIVolumeFile #1
DownwardAPIVolumeFile
  fieldRef ObjectFieldSelector #2*
  mode int32 #4*
  path string! #1
  resourceFieldRef ResourceFieldSelector #3*
EmptyDirVolumeSource
  medium string #1
  sizeLimit Quantity #2*
EphemeralVolumeSource
  volumeClaimTemplate PersistentVolumeClaimTemplate #1*
PersistentVolumeClaimTemplate
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PersistentVolumeClaimSpec! #2
PersistentVolumeClaimSpec
  accessModes []string #1
  dataSource TypedLocalObjectReference #7*
  dataSourceRef TypedObjectReference #8*
  resources VolumeResourceRequirements #2
  selector LabelSelector #4*
  storageClassName string #5*
  volumeAttributesClassName string #9*
  volumeMode string #6*
  volumeName string #3
TypedLocalObjectReference atomic
  apiGroup string #1*
  kind string! #2
  name string! #3
TypedObjectReference
  apiGroup string #1*
  kind string! #2
  name string! #3
  namespace string #4*
VolumeResourceRequirements
  limits {}Quantity #1
  requests {}Quantity #2
HostPathVolumeSource
  path string! #1
  type string #2*
ImageVolumeSource
  pullPolicy string #2
  reference string #1
NFSVolumeSource
  path string! #2
  readOnly bool #3
  server string! #1
PersistentVolumeClaimVolumeSource
  claimName string! #1
  readOnly bool #2
ProjectedVolumeSource
  defaultMode int32 #2*
  sources []VolumeProjection #1
VolumeProjection
  clusterTrustBundle any #5*
  configMap ConfigMapProjection #3*
  downwardAPI DownwardAPIProjection #2*
  podCertificate any #6*
  secret SecretProjection #1*
  serviceAccountToken ServiceAccountTokenProjection #4*
ConfigMapProjection
  items []KeyToPath #2
  name string #1.1
  optional bool #4*
DownwardAPIProjection
  items []DownwardAPIVolumeFile #1
SecretProjection
  items []KeyToPath #2
  name string #1.1
  optional bool #4*
ServiceAccountTokenProjection
  audience string #1
  expirationSeconds int64 #2*
  path string! #3
SecretVolumeSource
  defaultMode int32 #3*
  items []KeyToPath #2
  optional bool #4*
  secretName string #1
PersistentVolume object | Storage that exists in the cluster.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PersistentVolumeSpec #2
  status PersistentVolumeStatus #3
PersistentVolumeSpec
  accessModes []string #3
  awsElasticBlockStore any #2.2*
  azureDisk any #2.16*
  azureFile any #2.13*
  capacity {}Quantity #1
  cephfs any #2.9*
  cinder any #2.8*
  claimRef ObjectReference #4*
  csi any #2.22*
  fc any #2.10*
  flexVolume any #2.12*
  flocker any #2.11*
  gcePersistentDisk any #2.1*
  glusterfs any #2.4*
  hostPath HostPathVolumeSource #2.3*
  iscsi any #2.7*
  local LocalVolumeSource #2.20*
  mountOptions []string #7
  nfs NFSVolumeSource #2.5*
  nodeAffinity VolumeNodeAffinity #9*
  persistentVolumeReclaimPolicy string #5
  photonPersistentDisk any #2.17*
  portworxVolume any #2.18*
  quobyte any #2.15*
  rbd any #2.6*
  scaleIO any #2.19*
  storageClassName string #6
  storageos any #2.21*
  volumeAttributesClassName string #10*
  volumeMode string #8*
  vsphereVolume any #2.14*
VolumeNodeAffinity
  required NodeSelector #1*
PersistentVolumeStatus
  lastPhaseTransitionTime Time #4*
  message string #2
  phase string #1
  reason string #3
PersistentVolumeClaim object | A wish for storage.
  metadata ObjectMeta #1 | Name, labels, owners and what else every object has.
  spec PersistentVolumeClaimSpec #2
  status PersistentVolumeClaimStatus #3
PersistentVolumeClaimStatus
  accessModes []string #2
  allocatedResourceStatuses {}string #7
  allocatedResources {}Quantity #5
  capacity {}Quantity #3
  conditions []PersistentVolumeClaimCondition #4 map=type patch=merge:type
  currentVolumeAttributesClassName string #8*
  modifyVolumeStatus ModifyVolumeStatus #9*
  phase string #1
PersistentVolumeClaimCondition
  lastProbeTime Time #3
  lastTransitionTime Time #4
  message string #6
  reason string #5
  status string! #2
  type string! #1
`
