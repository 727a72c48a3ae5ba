/** Default parts of namespaces or names that make an object belong to the control panel. */
export const controlNames: readonly string[] = ['berth', 'coredns', 'kube-scheduler', 'kruise', 'upgrade']
