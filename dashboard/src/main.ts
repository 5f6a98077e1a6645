import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import App from './App.vue'
import { applyTheme } from './preferences.ts'
import { router } from './router.ts'
import './styles.css'
import './kit/kit.css'

applyTheme()

// Old data stays visible until new data arrives. Live events say when to reload, so nothing polls.
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
