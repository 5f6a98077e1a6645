import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import App from './App.vue'
import { applyTheme } from './preferences.ts'
import { router } from './router.ts'
import './styles.css'
import './kit/kit.css'

applyTheme()

// What is shown stays until better is there; the live events say when that is, so nothing is asked for on a timer.
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: 1,
      refetchOnWindowFocus: true,
      placeholderData: (old: unknown) => old,
    },
  },
})

createApp(App).use(router).use(VueQueryPlugin, { queryClient: queries }).mount('#app')
