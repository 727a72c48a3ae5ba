import type { DescriptionsFile } from '../../generated-files.ts'
import admissionV1File from './admission-v1.json' with { type: 'json' }
import admissionregistrationV1File from './admissionregistration-v1.json' with { type: 'json' }
import apiextensionsV1File from './apiextensions-v1.json' with { type: 'json' }
import appsV1File from './apps-v1.json' with { type: 'json' }
import authenticationV1File from './authentication-v1.json' with { type: 'json' }
import authorizationV1File from './authorization-v1.json' with { type: 'json' }
import autoscalingV1File from './autoscaling-v1.json' with { type: 'json' }
import autoscalingV2File from './autoscaling-v2.json' with { type: 'json' }
import batchV1File from './batch-v1.json' with { type: 'json' }
import certificatesV1File from './certificates-v1.json' with { type: 'json' }
import coordinationV1File from './coordination-v1.json' with { type: 'json' }
import coreV1File from './core-v1.json' with { type: 'json' }
import discoveryV1File from './discovery-v1.json' with { type: 'json' }
import eventsV1File from './events-v1.json' with { type: 'json' }
import flowcontrolV1File from './flowcontrol-v1.json' with { type: 'json' }
import metaV1File from './meta-v1.json' with { type: 'json' }
import networkingV1File from './networking-v1.json' with { type: 'json' }
import nodeV1File from './node-v1.json' with { type: 'json' }
import policyV1File from './policy-v1.json' with { type: 'json' }
import rbacV1File from './rbac-v1.json' with { type: 'json' }
import resourceV1File from './resource-v1.json' with { type: 'json' }
import schedulingV1File from './scheduling-v1.json' with { type: 'json' }
import storageV1File from './storage-v1.json' with { type: 'json' }

export const admissionV1: DescriptionsFile = admissionV1File
export const admissionregistrationV1: DescriptionsFile = admissionregistrationV1File
export const apiextensionsV1: DescriptionsFile = apiextensionsV1File
export const appsV1: DescriptionsFile = appsV1File
export const authenticationV1: DescriptionsFile = authenticationV1File
export const authorizationV1: DescriptionsFile = authorizationV1File
export const autoscalingV1: DescriptionsFile = autoscalingV1File
export const autoscalingV2: DescriptionsFile = autoscalingV2File
export const batchV1: DescriptionsFile = batchV1File
export const certificatesV1: DescriptionsFile = certificatesV1File
export const coordinationV1: DescriptionsFile = coordinationV1File
export const coreV1: DescriptionsFile = coreV1File
export const discoveryV1: DescriptionsFile = discoveryV1File
export const eventsV1: DescriptionsFile = eventsV1File
export const flowcontrolV1: DescriptionsFile = flowcontrolV1File
export const metaV1: DescriptionsFile = metaV1File
export const networkingV1: DescriptionsFile = networkingV1File
export const nodeV1: DescriptionsFile = nodeV1File
export const policyV1: DescriptionsFile = policyV1File
export const rbacV1: DescriptionsFile = rbacV1File
export const resourceV1: DescriptionsFile = resourceV1File
export const schedulingV1: DescriptionsFile = schedulingV1File
export const storageV1: DescriptionsFile = storageV1File
