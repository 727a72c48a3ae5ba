export {
  startClusterView,
  type ClusterChange,
  type ClusterView,
  type ClusterViewOptions,
  type ClusterViewStats,
} from './cluster-view.ts'
export { podKey } from './pod-key.ts'
export { projectNode, projectPod } from './project-object.ts'
