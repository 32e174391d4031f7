import { OfflineBanner } from "@/app/offline-banner";
import { TopBar } from "@/app/top-bar";
import { NewChat } from "@/features/chat/components/new-chat";

export function NewChatPage() {
    return (
        <>
            <TopBar />
            <NewChat banner={<OfflineBanner />} />
        </>
    );
}
