import type { z } from 'zod';
export declare function seededRandom(seed: number): Random;
export type PluginApiVersion = 'berth.dev/v1';
export declare const extendedResourceName: z.ZodType<string, string>;
export declare const resourceName: z.ZodType<string, string>;
export declare const qualifiedName: z.ZodType<string, string>;
export declare const namespacedName: z.ZodType<string, string>;
export interface ProbeResult {
    readonly health: DeviceHealth;
    readonly reason?: string;
}
export interface DeviceSource {
    discover(signal: AbortSignal): AsyncIterable<readonly Device[]>;
    probe?(device: Device, signal: AbortSignal): Promise<ProbeResult>;
    allocate(ids: readonly string[], devices: readonly Device[]): Allocation | Promise<Allocation>;
    preStart?(ids: readonly string[], devices: readonly Device[], signal: AbortSignal): Promise<void>;
}
export interface DeviceSourcePlugin<Args = unknown> {
    readonly kind: 'device-source';
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly argsSchema: z.ZodType<Args>;
    create(args: Args, env: SourceEnv): DeviceSource;
}
export interface DeviceSourceOptions<Schema extends z.ZodType> {
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly argsSchema: Schema;
    create(args: z.output<Schema>, env: SourceEnv): DeviceSource;
}
export declare function defineDeviceSource<Schema extends z.ZodType>(options: DeviceSourceOptions<Schema>): DeviceSourcePlugin<z.output<Schema>>;
export interface EffectContext {
    readonly signal: AbortSignal;
    readonly log: Logger;
    readonly state: Map<string, unknown>;
    readonly waitingPods: WaitingPods;
}
export type EffectResult = undefined | {
    readonly kind: 'reject';
    readonly code: StatusCode;
    readonly reasons: readonly string[];
};
export type PermitResult = EffectResult | {
    readonly kind: 'wait';
    readonly timeoutMs: number;
};
export type PostFilterResult = undefined | {
    readonly kind: 'nominate';
    readonly nodeName: string;
};
export type BindResult = {
    readonly kind: 'bound';
} | {
    readonly kind: 'skip';
} | {
    readonly kind: 'reject';
    readonly code: StatusCode;
    readonly reasons: readonly string[];
};
type Awaitable<T> = T | Promise<T>;
export interface EffectHooks {
    postFilter?(pod: Pod, rejected: ReadonlyMap<string, Rejection>, context: EffectContext): Awaitable<PostFilterResult>;
    reserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>;
    unreserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>;
    permit?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<PermitResult>;
    preBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>;
    bind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<BindResult>;
    postBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>;
    processPreemption?(pod: Pod, victimsByNode: ReadonlyMap<string, Victims>, context: EffectContext): Awaitable<ReadonlyMap<string, Victims>>;
}
export interface NodeView {
    readonly name: string;
    readonly node: Node;
    readonly pods: readonly Pod[];
    allocatable(resourceName: string): bigint;
    requested(resourceName: string): bigint;
}
export type NodeVerdict = undefined | string | {
    readonly code: StatusCode;
    readonly reasons: readonly string[];
};
export interface PerNodeFunctions {
    filter?(pod: Pod, node: NodeView, context: DecideContext): NodeVerdict;
    score?(pod: Pod, node: NodeView, context: DecideContext): number;
}
export declare function perNode(functions: PerNodeFunctions): DecideHooks;
export interface PluginEnv {
    readonly log: Logger;
    readonly clock: Clock;
    readonly random: Random;
}
export interface SourceEnv extends PluginEnv {
    readonly resourceName: string;
    readonly origins?: readonly AllowedOrigin[];
}
export interface AllowedOrigin {
    readonly origin: string;
    readonly credentialsDir?: string;
}
export declare function requestedResources<Resource extends {
    readonly name: string;
}>(pod: Pod, resources: readonly Resource[], cluster: Pick<ClusterReader, 'requestOf'>): readonly (Resource & {
    readonly units: bigint;
})[];
export interface ResourceReading {
    readonly units: number | bigint;
    readonly observedAtMs: number;
}
export interface ResourceSource {
    compute(node: Node, signal: AbortSignal): Promise<ResourceReading>;
}
export interface ResourceSourcePlugin<Args = unknown> {
    readonly kind: 'resource-source';
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly readsHost?: boolean;
    readonly argsSchema: z.ZodType<Args>;
    create(args: Args, env: SourceEnv): ResourceSource;
}
export interface ResourceSourceOptions<Schema extends z.ZodType> {
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly readsHost?: boolean;
    readonly argsSchema: Schema;
    create(args: z.output<Schema>, env: SourceEnv): ResourceSource;
}
export declare function defineResourceSource<Schema extends z.ZodType>(options: ResourceSourceOptions<Schema>): ResourceSourcePlugin<z.output<Schema>>;
export type SchedulingHooks = DecideHooks & EffectHooks;
export interface SchedulingPlugin<Args = unknown> {
    readonly kind: 'scheduling';
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly argsSchema: z.ZodType<Args>;
    readonly needsBind?: boolean;
    configMaps?(args: Args): readonly string[];
    create(args: Args, env: PluginEnv): SchedulingHooks;
}
type OnlyHooks<Hooks> = {
    readonly [Key in Exclude<keyof Hooks, keyof SchedulingHooks>]: Hooks[Key] extends (...args: never) => unknown ? never : Hooks[Key];
};
export interface SchedulingPluginOptions<Schema extends z.ZodType, Hooks extends SchedulingHooks = SchedulingHooks> {
    readonly apiVersion: PluginApiVersion;
    readonly name: string;
    readonly description: string;
    readonly argsSchema: Schema;
    readonly needsBind?: boolean;
    configMaps?(args: z.output<Schema>): readonly string[];
    create(args: z.output<Schema>, env: PluginEnv): Hooks & OnlyHooks<Hooks>;
}
export declare function defineSchedulingPlugin<Schema extends z.ZodType, Hooks extends SchedulingHooks>(options: SchedulingPluginOptions<Schema, Hooks>): SchedulingPlugin<z.output<Schema>>;
export interface WaitingPod {
    readonly pod: Pod;
    readonly nodeName: string;
    pendingPlugins(): readonly string[];
    allow(): void;
    reject(reason: string): boolean;
}
export interface WaitingPods {
    list(): readonly WaitingPod[];
    get(uid: string): WaitingPod | undefined;
}
export declare class PluginError extends BerthError {
}
export interface CycleRecord {
    readonly preFilter: unknown;
    readonly rejected: Readonly<Record<string, {
        readonly code: number;
        readonly reasons: readonly string[];
    }>>;
    readonly preScore: unknown;
    readonly scores: Readonly<Record<string, number>>;
    readonly annotations: Readonly<Record<string, unknown>>;
}
export interface DecideOnceOptions {
    readonly pod: Pod;
    readonly nodes: readonly SampleNode[];
    readonly args?: unknown;
    readonly namespaces?: readonly SampleNamespace[];
    readonly configMaps?: readonly SampleConfigMap[];
    readonly seed?: number;
    readonly nowMs?: number;
}
export declare function decideOnce(plugin: unknown, options: DecideOnceOptions): CycleRecord;
export declare function createHooks(plugin: unknown, args?: unknown): SchedulingHooks;
export interface RunDeviceSourceOptions {
    readonly args?: unknown;
    readonly deadlineMs?: number;
}
export declare function runDeviceSource(plugin: unknown, { args, deadlineMs }?: RunDeviceSourceOptions): Promise<readonly Device[]>;
export interface RunResourceSourceOptions {
    readonly args?: unknown;
    readonly nodes?: readonly Node[];
    readonly deadlineMs?: number;
    readonly origins?: readonly AllowedOrigin[];
}
export declare function runResourceSource(plugin: unknown, { args, nodes, deadlineMs, origins }?: RunResourceSourceOptions): Promise<readonly ResourceReading[]>;
export interface RunSchedulingPluginOptions {
    readonly args?: unknown;
    readonly pods?: readonly Pod[];
    readonly nodes?: readonly SampleNode[];
    readonly namespaces?: readonly SampleNamespace[];
    readonly configMaps?: readonly SampleConfigMap[];
    readonly seeds?: readonly number[];
}
export declare function runSchedulingPlugin(plugin: unknown, options?: RunSchedulingPluginOptions): readonly string[];
export interface SampleNode {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, number>>;
    readonly requested?: Readonly<Record<string, number>>;
    readonly pods?: readonly Pod[];
}
export interface SampleNamespace {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
}
export interface SampleConfigMap {
    readonly name: string;
    readonly data?: Readonly<Record<string, string>>;
}
export interface SampleCluster {
    readonly reader: ClusterReader;
    readonly rows: readonly number[];
    open(candidates: Candidates): {
        readonly reader: ClusterReader;
        readonly close: () => void;
    };
}
export declare function sampleCluster(nodes: readonly SampleNode[], namespaces?: readonly SampleNamespace[], configMaps?: readonly SampleConfigMap[]): SampleCluster;
export declare function samplePod(requests?: Readonly<Record<string, number | string>>, metadata?: ObjectMeta): Pod;
interface NodeSelectorRequirement {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
}
interface NodeSelectorTerm {
    readonly matchExpressions?: readonly NodeSelectorRequirement[];
    readonly matchFields?: readonly NodeSelectorRequirement[];
}
interface NodeSelector {
    readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}
interface NodeAffinity {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly weight: number;
        readonly preference: NodeSelectorTerm;
    }[];
}
interface PodAffinityTerm {
    readonly labelSelector?: LabelSelector;
    readonly namespaces?: readonly string[];
    readonly namespaceSelector?: LabelSelector;
    readonly topologyKey: string;
    readonly matchLabelKeys?: readonly string[];
    readonly mismatchLabelKeys?: readonly string[];
}
interface PodAffinity {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly weight: number;
        readonly podAffinityTerm: PodAffinityTerm;
    }[];
}
interface Affinity {
    readonly nodeAffinity?: NodeAffinity;
    readonly podAffinity?: PodAffinity;
    readonly podAntiAffinity?: PodAffinity;
}
interface Timer {
    cancel(): void;
}
export interface Clock {
    now(): number;
    monotonic(): number;
    setTimer(delayMs: number, task: () => void): Timer;
}
export type Random = () => number;
export type ClusterEvent = {
    readonly kind: 'pod-assigned';
    readonly pod: Pod;
} | {
    readonly kind: 'pod-changed';
    readonly old: Pod;
    readonly pod: Pod;
} | {
    readonly kind: 'pod-left';
    readonly pod: Pod;
} | {
    readonly kind: 'node-added';
    readonly node: Node;
} | {
    readonly kind: 'node-changed';
    readonly old: Node;
    readonly node: Node;
} | {
    readonly kind: 'node-deleted';
    readonly node: Node;
} | ObjectEvent;
type ObjectEvent = {
    readonly [K in EventKind]: {
        readonly kind: 'object';
        readonly resource: K;
        readonly metadata: ObjectMeta;
        readonly isDeleted: boolean;
        readonly object: ClusterObjectKinds[K];
        readonly old?: ClusterObjectKinds[K];
    };
}[EventKind];
type EventKind = Exclude<ClusterObjectKind, 'configMaps'>;
export interface ClusterObjectKinds {
    readonly namespaces: Namespace;
    readonly services: Service;
    readonly replicationControllers: Workload;
    readonly replicaSets: Workload;
    readonly statefulSets: Workload;
    readonly persistentVolumes: PersistentVolume;
    readonly persistentVolumeClaims: PersistentVolumeClaim;
    readonly storageClasses: StorageClass;
    readonly csiNodes: CsiNode;
    readonly csiDrivers: CsiDriver;
    readonly csiStorageCapacities: CsiStorageCapacity;
    readonly volumeAttachments: VolumeAttachment;
    readonly podDisruptionBudgets: PodDisruptionBudget;
    readonly deviceClasses: DeviceClass;
    readonly configMaps: ConfigMap;
}
export type ClusterObjectKind = keyof ClusterObjectKinds;
export interface ClusterObjectsReader {
    readonly generation: number;
    generationOf(kind: ClusterObjectKind): number;
    get<K extends ClusterObjectKind>(kind: K, key: string): ClusterObjectKinds[K] | undefined;
    list<K extends ClusterObjectKind>(kind: K): readonly ClusterObjectKinds[K][];
}
export interface Candidates {
    readonly rows: Int32Array;
    readonly count: number;
}
export interface ClusterReader {
    readonly rowCount: number;
    nodeName(row: number): string;
    node(row: number): Node;
    podsOn(row: number): readonly Pod[];
    allocatable(row: number, resourceName: string): bigint;
    requested(row: number, resourceName: string): bigint;
    requestOf(pod: Pod, resourceName: string): bigint;
    requestedInNamespace(namespace: string, resourceName: string): bigint;
    readonly objects: ClusterObjectsReader;
}
export interface DecideContext {
    readonly cluster: ClusterReader;
    readonly nowMs: number;
    readonly random: () => number;
    readonly state: Map<string, unknown>;
}
export interface FilterOutput {
    readonly codes: Uint8Array;
    reject(i: number, code: StatusCode, ...reasons: readonly string[]): void;
}
type PreFilterResult = undefined | {
    readonly kind: 'skip';
} | {
    readonly kind: 'narrow';
    readonly nodeNames: ReadonlySet<string>;
} | {
    readonly kind: 'reject';
    readonly code: StatusCode;
    readonly reasons: readonly string[];
};
type PreScoreResult = undefined | {
    readonly kind: 'skip';
};
export type PreEnqueueResult = undefined | {
    readonly kind: 'reject';
    readonly reasons: readonly string[];
};
export interface DecideHooks {
    preEnqueue?(pod: Pod): PreEnqueueResult;
    queueingHint?(pod: Pod, event: ClusterEvent): boolean;
    queueSort?(a: QueuedPod, b: QueuedPod): number;
    preFilter?(pod: Pod, candidates: Candidates, context: DecideContext): PreFilterResult;
    filter?(pod: Pod, candidates: Candidates, output: FilterOutput, context: DecideContext): void;
    preScore?(pod: Pod, candidates: Candidates, context: DecideContext): PreScoreResult;
    score?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void;
    normalizeScore?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void;
    bindingAnnotations?(pod: Pod, row: number, context: DecideContext): Readonly<Record<string, string>> | undefined;
}
interface QueuedPod {
    readonly pod: Pod;
    readonly queuedAtMs: number;
    readonly attempts: number;
}
export declare const MAX_NODE_SCORE = 100;
export type DeviceHealth = 'Healthy' | 'Unhealthy';
export interface Device {
    readonly id: string;
    readonly health: DeviceHealth;
    readonly reason?: string;
    readonly numaNodes?: readonly number[];
    readonly physicalId?: string;
    readonly paths?: readonly string[];
}
interface DeviceMount {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly readOnly: boolean;
}
interface DeviceNode {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly permissions: string;
}
export interface Allocation {
    readonly env?: Readonly<Record<string, string>>;
    readonly mounts?: readonly DeviceMount[];
    readonly deviceNodes?: readonly DeviceNode[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly cdiDevices?: readonly string[];
}
interface BerthErrorOptions {
    readonly code: string;
    readonly retryable?: boolean;
    readonly cause?: unknown;
    readonly hint?: string;
}
declare class BerthError extends Error {
    readonly code: string;
    readonly retryable: boolean;
    readonly hint: string | undefined;
    constructor(message: string, options: BerthErrorOptions);
}
interface Victims {
    readonly Pods: readonly Pod[];
    readonly NumPDBViolations: number;
}
type LogFields = Readonly<Record<string, unknown>>;
export interface Logger {
    debug(fields: LogFields, message: string): void;
    info(fields: LogFields, message: string): void;
    warn(fields: LogFields, message: string): void;
    error(fields: LogFields, message: string): void;
}
interface Taint {
    readonly key: string;
    readonly value?: string;
    readonly effect: string;
    readonly timeAdded?: string;
}
interface NodeCondition {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastHeartbeatTime?: string;
    readonly lastTransitionTime?: string;
}
interface NodeStatus {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly NodeCondition[];
    readonly addresses?: readonly {
        readonly type: string;
        readonly address: string;
    }[];
    readonly images?: readonly {
        readonly names?: readonly string[];
        readonly sizeBytes?: number;
    }[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
    readonly declaredFeatures?: readonly string[];
    readonly volumesInUse?: readonly string[];
    readonly volumesAttached?: readonly {
        readonly name: string;
        readonly devicePath: string;
    }[];
}
export interface Node {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata: ObjectMeta;
    readonly spec?: {
        readonly unschedulable?: boolean;
        readonly taints?: readonly Taint[];
        readonly podCIDR?: string;
        readonly podCIDRs?: readonly string[];
        readonly providerID?: string;
    };
    readonly status?: NodeStatus;
}
interface OwnerReference {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
}
interface ObjectMeta {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string | null;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly unknown[];
}
interface LabelSelectorRequirement {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
}
interface LabelSelector {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly LabelSelectorRequirement[];
}
interface Namespace {
    readonly metadata: ObjectMeta;
    readonly status?: {
        readonly phase?: string;
    };
}
interface ConfigMap {
    readonly metadata: ObjectMeta;
    readonly data?: Readonly<Record<string, string>>;
}
interface PodDisruptionBudget {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly selector?: LabelSelector;
        readonly minAvailable?: number | string;
        readonly maxUnavailable?: number | string;
    };
    readonly status?: {
        readonly disruptionsAllowed?: number;
        readonly disruptedPods?: Readonly<Record<string, string>>;
    };
}
interface DeviceClass {
    readonly metadata: ObjectMeta;
    readonly spec?: {
        readonly extendedResourceName?: string;
    };
}
interface Workload {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata: ObjectMeta;
    readonly spec?: {
        readonly replicas?: number;
        readonly selector?: LabelSelector | Readonly<Record<string, string>>;
        readonly template?: {
            readonly metadata?: ObjectMeta;
            readonly spec?: PodSpec;
        };
        readonly [field: string]: unknown;
    };
    readonly status?: Readonly<Record<string, unknown>>;
}
interface Service {
    readonly metadata: ObjectMeta;
    readonly spec?: {
        readonly selector?: Readonly<Record<string, string>>;
        readonly [field: string]: unknown;
    };
}
type ResourceList = Readonly<Record<string, string | number>>;
interface ResourceRequirements {
    readonly requests?: ResourceList;
    readonly limits?: ResourceList;
    readonly claims?: readonly {
        readonly name: string;
        readonly request?: string;
    }[];
}
interface ContainerPort {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
}
interface Container {
    readonly name: string;
    readonly image?: string;
    readonly command?: readonly string[];
    readonly args?: readonly string[];
    readonly env?: readonly {
        readonly name: string;
        readonly value?: string;
    }[];
    readonly resources?: ResourceRequirements;
    readonly ports?: readonly ContainerPort[];
    readonly restartPolicy?: string;
    readonly restartPolicyRules?: readonly {
        readonly action: string;
    }[];
}
interface Toleration {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
    readonly tolerationSeconds?: number;
}
interface TopologySpreadConstraint {
    readonly maxSkew: number;
    readonly topologyKey: string;
    readonly whenUnsatisfiable: string;
    readonly labelSelector?: LabelSelector;
    readonly minDomains?: number;
    readonly nodeAffinityPolicy?: string;
    readonly nodeTaintsPolicy?: string;
    readonly matchLabelKeys?: readonly string[];
}
interface PodSpec {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly ephemeralContainers?: readonly Container[];
    readonly overhead?: ResourceList;
    readonly resources?: ResourceRequirements;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: Affinity;
    readonly tolerations?: readonly Toleration[];
    readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
    readonly priority?: number;
    readonly priorityClassName?: string;
    readonly preemptionPolicy?: string;
    readonly schedulingGates?: readonly {
        readonly name: string;
    }[];
    readonly resourceClaims?: readonly {
        readonly name: string;
        readonly resourceClaimName?: string;
        readonly resourceClaimTemplateName?: string;
    }[];
    readonly schedulingGroup?: {
        readonly podGroupName?: string;
    };
    readonly workloadRef?: {
        readonly name: string;
        readonly podGroup: string;
        readonly podGroupReplicaKey?: string;
    };
    readonly volumes?: readonly Volume[];
    readonly hostNetwork?: boolean;
    readonly hostUsers?: boolean;
    readonly restartPolicy?: string;
    readonly serviceAccountName?: string;
    readonly terminationGracePeriodSeconds?: number;
}
interface PodCondition {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastProbeTime?: string | null;
    readonly lastTransitionTime?: string;
    readonly observedGeneration?: number;
}
interface ResourceStatus {
    readonly name: string;
    readonly resources?: readonly {
        readonly resourceID: string;
        readonly health?: string;
    }[];
}
interface ContainerStatus {
    readonly name: string;
    readonly ready?: boolean;
    readonly restartCount?: number;
    readonly image?: string;
    readonly imageID?: string;
    readonly containerID?: string;
    readonly started?: boolean;
    readonly state?: Readonly<Record<string, unknown>>;
    readonly lastState?: Readonly<Record<string, unknown>>;
    readonly resources?: ResourceRequirements;
    readonly allocatedResources?: ResourceList;
    readonly allocatedResourcesStatus?: readonly ResourceStatus[];
}
interface PodStatus {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly PodCondition[];
    readonly nominatedNodeName?: string;
    readonly startTime?: string;
    readonly hostIP?: string;
    readonly podIP?: string;
    readonly resize?: string;
    readonly qosClass?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly resources?: ResourceRequirements;
    readonly allocatedResources?: ResourceList;
}
export interface Pod {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata: ObjectMeta;
    readonly spec: PodSpec;
    readonly status?: PodStatus;
}
export declare const StatusCode: {
    readonly Success: 0;
    readonly Error: 1;
    readonly Unschedulable: 2;
    readonly UnschedulableAndUnresolvable: 3;
    readonly Wait: 4;
    readonly Skip: 5;
    readonly Pending: 6;
};
export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode];
interface InsufficientResource {
    readonly resourceName: string;
    readonly requested: bigint;
    readonly used: bigint;
    readonly capacity: bigint;
    readonly reason: string;
    readonly isUnresolvable: boolean;
    readonly isDelegated?: boolean;
}
interface Rejection {
    readonly plugin: string;
    readonly reasons: readonly string[];
    readonly insufficient?: readonly InsufficientResource[];
}
interface Volume {
    readonly name: string;
    readonly persistentVolumeClaim?: {
        readonly claimName: string;
        readonly readOnly?: boolean;
    };
    readonly ephemeral?: {
        readonly volumeClaimTemplate?: unknown;
    };
    readonly gcePersistentDisk?: {
        readonly pdName: string;
        readonly readOnly?: boolean;
    };
    readonly awsElasticBlockStore?: {
        readonly volumeID: string;
        readonly readOnly?: boolean;
    };
    readonly azureDisk?: {
        readonly diskName: string;
        readonly diskURI: string;
        readonly kind?: string;
    };
    readonly cinder?: {
        readonly volumeID: string;
    };
    readonly rbd?: {
        readonly monitors?: readonly string[];
        readonly image: string;
        readonly pool?: string;
        readonly readOnly?: boolean;
    };
    readonly iscsi?: {
        readonly targetPortal?: string;
        readonly iqn: string;
        readonly lun?: number;
        readonly readOnly?: boolean;
    };
    readonly csi?: {
        readonly driver: string;
    };
    readonly [source: string]: unknown;
}
interface PersistentVolume {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly nodeAffinity?: {
            readonly required?: NodeSelector;
        };
        readonly accessModes?: readonly string[];
        readonly storageClassName?: string;
        readonly claimRef?: {
            readonly namespace?: string;
            readonly name?: string;
            readonly uid?: string;
            readonly [field: string]: unknown;
        };
        readonly csi?: {
            readonly driver: string;
            readonly volumeHandle: string;
        };
        readonly capacity?: Readonly<Record<string, string | number>>;
        readonly volumeMode?: string;
        readonly volumeAttributesClassName?: string;
        readonly [source: string]: unknown;
    };
    readonly status?: {
        readonly phase?: string;
    };
}
interface PersistentVolumeClaim {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly volumeName?: string;
        readonly storageClassName?: string;
        readonly accessModes?: readonly string[];
        readonly resources?: {
            readonly requests?: Readonly<Record<string, string | number>>;
        };
        readonly selector?: LabelSelector;
        readonly volumeMode?: string;
        readonly volumeAttributesClassName?: string;
        readonly [field: string]: unknown;
    };
    readonly status?: {
        readonly phase?: string;
    };
}
interface StorageClass {
    readonly metadata: ObjectMeta;
    readonly provisioner: string;
    readonly volumeBindingMode?: string;
    readonly allowedTopologies?: readonly {
        readonly matchLabelExpressions?: readonly {
            readonly key: string;
            readonly values: readonly string[];
        }[];
    }[];
    readonly parameters?: Readonly<Record<string, string>>;
}
interface CsiNode {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly drivers?: readonly {
            readonly name: string;
            readonly nodeID?: string;
            readonly allocatable?: {
                readonly count?: number;
            };
            readonly topologyKeys?: readonly string[] | null;
        }[];
    };
}
interface CsiDriver {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly attachRequired?: boolean;
        readonly storageCapacity?: boolean;
        readonly [field: string]: unknown;
    };
}
interface CsiStorageCapacity {
    readonly metadata: ObjectMeta;
    readonly storageClassName: string;
    readonly nodeTopology?: LabelSelector;
    readonly capacity?: string | number;
    readonly maximumVolumeSize?: string | number;
}
interface VolumeAttachment {
    readonly metadata: ObjectMeta;
    readonly spec: {
        readonly attacher: string;
        readonly nodeName: string;
        readonly source: {
            readonly persistentVolumeName?: string;
            readonly inlineVolumeSpec?: unknown;
        };
    };
    readonly status?: {
        readonly attached?: boolean;
    };
}
