// Mirrors all pods and nodes with client-go's informers. Prints the time and memory of the initial list, then answers
// each line of stdin with a digest of the mirrored objects.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func peakBytes() int64 {
	for _, line := range strings.Split(string(must(os.ReadFile("/proc/self/status"))), "\n") {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.QPS = -1
	// The default would be protobuf for the built-in kinds.
	config.ContentType = "application/json"
	if len(os.Args) > 2 && os.Args[2] == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	started := time.Now()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	all := []cache.SharedIndexInformer{factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer()}
	for _, informer := range all {
		must(0, informer.SetTransform(func(object any) (any, error) {
			if accessor, ok := object.(metav1.Object); ok {
				accessor.SetManagedFields(nil)
			}
			return object, nil
		}))
	}
	factory.Start(context.Background().Done())
	factory.WaitForCacheSync(context.Background().Done())
	synced := time.Since(started)
	count := 0
	for _, informer := range all {
		count += len(informer.GetStore().ListKeys())
	}
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"ms": float64(synced.Microseconds()) / 1000, "peakBytes": peakBytes(), "objects": count,
	}))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var held []string
		for _, informer := range all {
			for _, object := range informer.GetStore().List() {
				meta := object.(metav1.Object)
				held = append(held, meta.GetName()+" "+meta.GetResourceVersion())
			}
		}
		sort.Strings(held)
		sum := sha256.Sum256([]byte(strings.Join(held, "\n")))
		fmt.Println(hex.EncodeToString(sum[:]))
	}
}
