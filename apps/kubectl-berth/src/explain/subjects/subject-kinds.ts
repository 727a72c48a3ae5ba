/** The kinds of pods and workloads that a command line may name, as completion offers them. */
export const subjectKinds: readonly string[] = ['pod', 'deployment', 'statefulset', 'daemonset', 'replicaset', 'job']
